// Which entries are asked for. Sent by a button: each reading is an entry of the trail.
import { type FormEvent, useState } from "react";
import { useLanguage, useStaffMessages } from "../../i18n";
import { type Asked, EVERYTHING, isBackwards, RESULTS, USES } from "../../state/staff/audit";
import { Choice } from "../shared/controls/Choice";

const OPENED = "document.opened";
const BESIDE = "document.beside_opened"; // it opened by itself

interface Props {
  asked: Asked;
  onAsk(asked: Asked): void;
}

export function Filters({ asked, onAsk }: Props) {
  const m = useStaffMessages();
  const { language } = useLanguage();
  const [form, setForm] = useState(asked);
  const put = (part: Partial<Asked>): void => setForm({ ...form, ...part });
  const backwards = isBackwards(form);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!backwards) onAsk(form);
  };
  const showAll = (): void => {
    setForm(EVERYTHING);
    onAsk(EVERYTHING);
  };
  const actions = Object.entries(m.audit.actions).sort(([, one], [, other]) => one.localeCompare(other, language));
  return (
    <form className="audit-filters" aria-label={m.audit.filters} onSubmit={send}>
      <div className="field-row">
        <label className="document-field">
          {m.audit.user}
          <input
            type="search"
            maxLength={200}
            title={m.audit.userHelp}
            value={form.user}
            onChange={(event) => put({ user: event.target.value })}
          />
        </label>
        <Choice
          className="document-field"
          label={m.audit.action}
          value=""
          none={form.actions.length > 0 ? m.audit.alsoAction : m.audit.anyAction}
          options={actions.filter(([action]) => !form.actions.includes(action))}
          onValue={(action) => action && put({ actions: [...form.actions, action] })}
        />
        <label className="document-field">
          {m.audit.document}
          <input
            type="search"
            maxLength={200}
            title={m.audit.documentHelp}
            value={form.document}
            onChange={(event) => put({ document: event.target.value })}
          />
        </label>
        <Choice
          className="document-field"
          label={m.audit.result}
          value={form.result}
          none={m.accounts.any}
          options={RESULTS.map((result) => [result, m.audit.results[result]] as const)}
          onValue={(result) => put({ result })}
        />
        <Choice
          className="document-field"
          label={m.audit.use}
          value={form.use}
          none={m.accounts.any}
          options={USES.map((use) => [use, m.audit.uses[use]] as const)}
          onValue={(use) => put({ use })}
        />
        <label className="document-field">
          {m.audit.from}
          <input type="date" value={form.from} onChange={(event) => put({ from: event.target.value })} />
        </label>
        <label className="document-field">
          {m.audit.to}
          <input
            type="date"
            aria-invalid={backwards || undefined}
            value={form.to}
            onChange={(event) => put({ to: event.target.value })}
          />
        </label>
      </div>
      {form.actions.length > 0 && (
        <ul className="chips">
          {form.actions.map((action) => (
            <li key={action}>
              {m.audit.actions[action] ?? action}
              <button
                type="button"
                className="quiet icon"
                aria-label={m.audit.withoutAction(m.audit.actions[action] ?? action)}
                onClick={() => put({ actions: form.actions.filter((one) => one !== action) })}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {form.actions.includes(OPENED) && !form.actions.includes(BESIDE) && (
        <p className="field-help">
          {m.audit.besideToo}{" "}
          <button type="button" className="link" onClick={() => put({ actions: [...form.actions, BESIDE] })}>
            {m.audit.addBeside}
          </button>
        </p>
      )}
      {form.request && (
        <p className="field-help">
          {m.audit.request} {form.request}
        </p>
      )}
      {backwards && (
        <p className="wrong" role="alert">
          {m.audit.backwards}
        </p>
      )}
      <p className="judge-foot">
        <button type="submit" className="button primary">
          {m.audit.show}
        </button>
        <button type="button" className="button" onClick={showAll}>
          {m.audit.clear}
        </button>
      </p>
    </form>
  );
}
