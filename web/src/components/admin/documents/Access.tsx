// Who may read a document, who said so, and an admin's own word on it.
import { type FormEvent, useId, useState } from "react";
import type { Access as Given } from "../../../api/types";
import { failureWords, formatMoment, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useSession } from "../../../queries/session";
import { useAccess, usePutAccess } from "../../../queries/staff/documents";

const EVERYONE = "everyone"; // the group of all

export function Access({ id }: { id: string }) {
  const m = useStaffMessages();
  const { data: access, error } = useAccess(id);
  if (access) return <Form key={access.groups.join()} id={id} access={access} />;
  return error ? <p className="muted">{failureWords(error.code, m)}</p> : null;
}

function Form({ id, access }: { id: string; access: Given }) {
  const m = useStaffMessages();
  const help = useId();
  const [typed, setTyped] = useState(access.groups.join(", "));
  const [sure, setSure] = useState(false); // that they take it from themselves
  const { mutate, error, isPending } = usePutAccess(id);
  const own = useSession().data?.user?.groups;
  const groups = typed
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const losesIt = own !== undefined && !groups.some((group) => group === EVERYONE || own.includes(group));
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (losesIt && !sure) setSure(true);
    else mutate(groups);
  };
  const { said_by, said_at, user_id } = access;
  const who = user_id && said_at ? m.accounts.saidAt(user_id, formatMoment(said_at, m)) : "";
  return (
    <form className="document-access" onSubmit={save}>
      <h3>{m.access.title}</h3>
      <p role="status">
        {m.accounts.mayRead(access.groups.join(", "))} {m.accounts.saidBy[said_by]}
        {who}.
      </p>
      <div className="document-field">
        <label>
          {m.access.groups}
          <input
            value={typed}
            maxLength={2000}
            aria-describedby={help}
            onChange={(event) => {
              setTyped(event.target.value);
              setSure(false);
            }}
          />
        </label>
        <p className="field-help" id={help}>
          {m.access.help}
        </p>
      </div>
      {error && (
        <p className="notice serious" role="alert">
          {whyNot(error.code, m)}
        </p>
      )}
      {sure && (
        <p className="notice" role="alert">
          {m.access.losesIt}
        </p>
      )}
      <p className="owner-choices">
        <button
          type="submit"
          className="button"
          disabled={isPending || groups.length === 0 || groups.join() === access.groups.join()}
        >
          {sure ? m.access.sure : m.access.save}
        </button>
        {said_by === "admin" && (
          <button type="button" className="link" disabled={isPending} onClick={() => mutate(null)}>
            {m.access.reset}
          </button>
        )}
      </p>
    </form>
  );
}

const whyNot = (code: string, m: StaffMessages): string =>
  code === "invalid_input" || code === "invalid_request" ? m.access.bad : failureWords(code, m);
