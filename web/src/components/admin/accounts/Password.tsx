// A new password for somebody who lost theirs.
import { type FormEvent, useId, useState } from "react";
import { failureWords, useStaffMessages } from "../../../i18n";
import { useSetPassword } from "../../../queries/staff/accounts";
import { PasswordInput } from "./PasswordInput";

export function Password({ id }: { id: string }) {
  const m = useStaffMessages();
  const [field, help] = [useId(), useId()];
  const [password, setPassword] = useState("");
  const [said, setSaid] = useState("");
  const set = useSetPassword(id);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    set.mutate(password, {
      onSuccess: () => {
        setPassword("");
        setSaid(m.accounts.passwordSet);
      },
      onError: ({ code, status }) =>
        setSaid(status === 400 || status === 422 ? m.accounts.refused.invalid : failureWords(code, m)),
    });
  };
  return (
    <form className="document-field" onSubmit={save}>
      <label htmlFor={field}>{m.accounts.password}</label>
      <PasswordInput
        id={field}
        aria-describedby={help}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      >
        <button type="submit" className="button" disabled={set.isPending}>
          {m.accounts.setPassword}
        </button>
      </PasswordInput>
      <p className="field-help" id={help}>
        {m.accounts.passwordHelp}
      </p>
      <p className="document-said" role="status">
        {said}
      </p>
    </form>
  );
}
