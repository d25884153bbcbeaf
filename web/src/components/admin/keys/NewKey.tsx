// A new key: whose, what for, what with and for how long. What was written stays until it is made
// or given up.
import { type FormEvent, useId, useState } from "react";
import type { KeyIn, NewKey as Made } from "../../../api/types";
import { failureWords, useStaffMessages } from "../../../i18n";
import { useAccountsCalled } from "../../../queries/staff/accounts";
import { useMakeKey } from "../../../queries/staff/keys";
import { useDelayed } from "../../../queries/useDelayed";
import { SCOPES, toggled } from "../../../state/staff/account";
import { FormFoot } from "../FormFoot";

interface Props {
  of: string; // the account that it is first said to be of
  onMade(made: Made): void;
  onCancel(): void;
}

export function NewKey({ of, onMade, onCancel }: Props) {
  const m = useStaffMessages();
  const [list, help] = [useId(), useId()];
  const [form, setForm] = useState<KeyIn>({ user: of, name: "", scopes: [], days: 90 });
  const [wrong, setWrong] = useState("");
  const accounts = useAccountsCalled(useDelayed(form.user.trim()));
  const make = useMakeKey();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (form.scopes.length === 0) {
      setWrong(m.keys.scopesNeeded);
      return;
    }
    setWrong("");
    make.mutate(
      { ...form, user: form.user.trim(), name: form.name.trim() },
      {
        onSuccess: onMade,
        onError: ({ code, status }) => {
          const known = code === "not_found" ? m.keys.refused.not_found : m.keys.refused.invalid;
          setWrong(status >= 400 && status < 500 && status !== 403 && status !== 429 ? known : failureWords(code, m));
        },
      },
    );
  };
  return (
    <form className="card new-question account-form" aria-label={m.keys.new} onSubmit={send}>
      <div className="field-row">
        <label className="document-field">
          {m.keys.account}
          <input
            required
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the reader has just asked for this form
            autoFocus
            maxLength={200}
            list={list}
            aria-describedby={help}
            value={form.user}
            onChange={(event) => setForm({ ...form, user: event.target.value })}
          />
        </label>
        <datalist id={list}>
          {accounts.data?.map(({ id, login, name }) => (
            <option key={id} value={login ?? id}>
              {name}
            </option>
          ))}
        </datalist>
        <label className="document-field">
          {m.keys.name}
          <input
            required
            pattern=".*\S.*"
            autoComplete="off"
            maxLength={200}
            value={form.name}
            onChange={(event) => setForm({ ...form, name: event.target.value })}
          />
        </label>
        <label className="document-field">
          {m.keys.days}
          <input
            required
            type="number"
            min={1}
            max={730}
            value={form.days || ""}
            onChange={(event) => setForm({ ...form, days: event.target.valueAsNumber || 0 })}
          />
        </label>
      </div>
      <p className="field-help" id={help}>
        {m.keys.accountHelp}
      </p>
      <fieldset className="checks">
        <legend>{m.keys.scopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={form.scopes.includes(scope)}
              onChange={() => setForm({ ...form, scopes: toggled(form.scopes, scope) })}
            />
            <span>
              {scope} <span className="muted">{m.keys.scopeHelp[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <FormFoot wrong={wrong} make={m.keys.make} pending={make.isPending} onCancel={onCancel} />
    </form>
  );
}
