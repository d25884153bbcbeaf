// A new account: for somebody with a password, or for a machine. What was written stays until it is
// made or given up.
import { type FormEvent, useId, useState } from "react";
import type { ApiError } from "../../../api/errors";
import { failureWords, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useSession } from "../../../queries/session";
import { useMakeAccount } from "../../../queries/staff/accounts";
import { accountOf, isGroup, NEW_FORM, type NewForm } from "../../../state/staff/account";
import { Choice } from "../../shared/controls/Choice";
import { FormFoot } from "../FormFoot";
import { AskerFields } from "./AskerFields";
import { GroupFields } from "./GroupFields";
import { PasswordInput } from "./PasswordInput";
import { RoleFields } from "./RoleFields";

interface Props {
  onMade(name: string): void;
  onCancel(): void;
}

export function NewAccount({ onMade, onCancel }: Props) {
  const m = useStaffMessages();
  const provider = useSession().data?.sign_in === "oidc"; // then people have theirs there
  const [form, setForm] = useState<NewForm>({ ...NEW_FORM, machine: provider });
  const [wrong, setWrong] = useState("");
  const password = useId();
  const make = useMakeAccount();
  const put = (part: Partial<NewForm>): void => setForm({ ...form, ...part });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (form.given.typed.trim() !== "" && !isGroup(form.given.typed)) {
      setWrong(m.accounts.badGroup);
      return;
    }
    setWrong("");
    make.mutate(accountOf(form), {
      onSuccess: ({ name }) => onMade(name),
      onError: (error) => setWrong(refusedWords(error, m)),
    });
  };
  return (
    <form className="card new-question account-form" aria-label={m.accounts.new} onSubmit={send}>
      <p className="field-help">{m.accounts.newLead}</p>
      <div className="field-row">
        <label className="document-field">
          {m.accounts.login}
          <input
            required
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the reader has just asked for this form
            autoFocus
            pattern="[0-9A-Za-z._@+\-]+"
            maxLength={100}
            title={m.accounts.loginHelp}
            value={form.login}
            onChange={(event) => put({ login: event.target.value })}
          />
        </label>
        <label className="document-field">
          {m.accounts.name}
          <input
            autoComplete="off"
            maxLength={200}
            value={form.name}
            onChange={(event) => put({ name: event.target.value })}
          />
        </label>
        {!provider && (
          <Choice
            className="document-field"
            label={m.accounts.kind}
            value={form.machine ? "machine" : "person"}
            options={(["person", "machine"] as const).map((kind) => [kind, m.accounts.kinds[kind]] as const)}
            onValue={(kind) => put({ machine: kind === "machine" })}
          />
        )}
        {!form.machine && (
          <div className="document-field">
            <label htmlFor={password}>{m.signIn.password}</label>
            <PasswordInput
              id={password}
              value={form.password}
              onChange={(event) => put({ password: event.target.value })}
            />
          </div>
        )}
      </div>
      <RoleFields chosen={form.given.roles} onChange={(roles) => put({ given: { ...form.given, roles } })} />
      <GroupFields given={form.given} onChange={(given) => put({ given })} />
      <AskerFields given={form.given} onChange={(given) => put({ given })} />
      <FormFoot wrong={wrong} make={m.accounts.make} pending={make.isPending} onCancel={onCancel} />
    </form>
  );
}

const refusedWords = ({ code, status }: ApiError, m: StaffMessages): string => {
  if (code === "conflict") return m.accounts.refused.taken;
  return status === 400 || status === 422 ? m.accounts.refused.invalid : failureWords(code, m);
};
