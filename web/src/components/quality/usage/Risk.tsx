// How readily Bedside answers: what is in force, what each choice cost when it was measured, and,
// for an admin, another choice.
import { useState } from "react";
import type { Risk as InForce, RiskName } from "../../../api/types";
import { formatMoment, useStaffMessages } from "../../../i18n";
import { useRoles } from "../../../queries/session";
import { useChooseRisk, useRisk } from "../../../queries/staff/usage";
import { Problem } from "../../shared/controls/Problem";

export function Risk() {
  const { data, error } = useRisk();
  if (error) return <Problem code={error.code} />;
  return data ? <Choice key={data.risk} risk={data} /> : null;
}

function Choice({ risk }: { risk: InForce }) {
  const m = useStaffMessages();
  const mayChoose = useRoles().includes("admin") && !risk.fixed;
  const choose = useChooseRisk();
  const [chosen, setChosen] = useState<string>(risk.risk);
  const share = (value: number | null) => (value === null ? m.usage.unmeasured : `${Math.round(100 * value)}%`);
  const wanted = risk.offered.find((one) => one.name === chosen)?.name;
  return (
    <form
      className="risk"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted) choose.mutate(wanted);
      }}
    >
      <fieldset disabled={!mayChoose}>
        <legend>{m.usage.risk}</legend>
        <p className="muted">{m.usage.riskLead}</p>
        {risk.offered.map((one) => (
          <label key={one.name} className="risk-choice">
            <input
              type="radio"
              name="risk"
              value={one.name}
              checked={chosen === one.name}
              onChange={() => setChosen(one.name)}
            />
            <span>
              <strong>{m.usage.risks[one.name][0]}</strong> {m.usage.risks[one.name][1]}
              <span className="muted"> {m.usage.cost(share(one.refused), share(one.wrong))}</span>
            </span>
          </label>
        ))}
        {mayChoose && (
          <p className="judge-foot">
            <button type="submit" className="primary" disabled={!wanted || chosen === risk.risk || choose.isPending}>
              {m.usage.save}
            </button>
            {risk.chosen_by && (
              <button type="button" className="quiet" onClick={() => choose.mutate(null)} disabled={choose.isPending}>
                {m.usage.asSet(nameOf(risk.setting, m.usage.risks))}
              </button>
            )}
          </p>
        )}
      </fieldset>
      <Problem code={choose.error?.code} />
      <p role="status">{choose.isSuccess && m.usage.saved}</p>
      <p className="muted">
        {risk.fixed
          ? m.usage.fixed
          : risk.chosen_by && risk.chosen_at
            ? m.usage.chosen(nameOf(risk.risk, m.usage.risks), risk.chosen_by, formatMoment(risk.chosen_at, m))
            : m.usage.fromSettings(nameOf(risk.setting, m.usage.risks))}
      </p>
    </form>
  );
}

/** A share of wrong answers is no name: it stays as it is. */
const nameOf = (risk: string, names: Record<RiskName, readonly string[]>): string =>
  Object.entries(names).find(([name]) => name === risk)?.[1][0] ?? risk;
