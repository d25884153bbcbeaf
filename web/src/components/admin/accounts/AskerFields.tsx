// As what, and for which department, somebody asks, until they say otherwise beside the question.
import { useId } from "react";
import { useStaffMessages } from "../../../i18n";
import { functionsOf, useFacets } from "../../../queries/documents/facets";
import type { Given } from "../../../state/staff/account";
import { Choice } from "../../shared/controls/Choice";
import { Suggested } from "../../shared/controls/Suggested";

interface Props {
  given: Given;
  onChange(given: Given): void;
}

export function AskerFields({ given, onChange }: Props) {
  const m = useStaffMessages();
  const help = useId();
  const { data: facets } = useFacets();
  return (
    <fieldset className="checks" aria-describedby={help}>
      <legend>{m.accounts.asker}</legend>
      <div className="field-row">
        <Choice
          className="document-field"
          label={m.scope.function}
          value={given.function}
          options={functionsOf(facets, m)}
          none={m.scope.unsaid}
          onValue={(chosen) => onChange({ ...given, function: chosen })}
        />
        <Suggested
          label={m.scope.department}
          value={given.department}
          onValue={(department) => onChange({ ...given, department })}
        >
          {facets?.departments.map((one) => (
            <option key={one} value={one} />
          ))}
        </Suggested>
      </div>
      <p className="field-help" id={help}>
        {m.accounts.askerHelp}
      </p>
    </fieldset>
  );
}
