// Who may read a document, who said so, and an admin's own word on it or on all of its department:
// asked again where nobody, or not they, could then read it.
import { type FormEvent, useState } from "react";
import type { DocumentSummary, Access as Given } from "../../../api/types";
import { failureWords, formatMoment, useStaffMessages } from "../../../i18n";
import { useSession } from "../../../queries/session";
import { useAccess, usePutAccess } from "../../../queries/staff/documents";
import { allGroups, type Chosen, canRead, isGroup } from "../../../state/staff/account";
import { changeFailure } from "../../../text/documents/changeFailure";
import { AccessDoubts, useAccessDoubts } from "../AccessDoubts";
import { GroupChoice } from "../GroupChoice";

interface Props {
  document: DocumentSummary;
  onLost(said: string): void; // saved, and it is no longer theirs to see
}

export function Access({ document: { id, title, department }, onLost }: Props) {
  const m = useStaffMessages();
  const [said, setSaid] = useState("");
  const { data: access, error } = useAccess(id);
  const own = useSession().data?.user?.groups;
  const saved = ({ groups }: Given): void => {
    if (own && !canRead(own, groups)) onLost(m.access.lost(title, groups));
    else setSaid(m.access.saved);
  };
  if (access) return <Form key={access.groups.join()} {...{ id, department, access, said }} onSaved={saved} />;
  return error ? <p className="muted">{failureWords(error.code, m)}</p> : null;
}

interface FormProps {
  id: string;
  department: string;
  access: Given;
  said: string;
  onSaved(access: Given): void;
}

function Form({ id, department, access, said, onSaved }: FormProps) {
  const m = useStaffMessages();
  const [chosen, setChosen] = useState<Chosen>({ groups: access.groups, typed: "" });
  const [sure, setSure] = useState(false); // that it is meant, whatever follows from it
  const [ofAll, setOfAll] = useState(false); // that are of its department
  const { mutate, error, isPending } = usePutAccess(id, onSaved);
  const groups = allGroups(chosen);
  const doubts = useAccessDoubts(groups, access.groups);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen.typed.trim() !== "" && !isGroup(chosen.typed)) return; // said under the field
    if (doubts.any && !sure) setSure(true);
    else mutate({ groups, ...(ofAll && { department }) });
  };
  const { said_by, said_at, user_name } = access;
  const ruled = department !== "" && (said_by === "department" || said_by === "default");
  const who = user_name && said_at ? m.accounts.saidAt(user_name, formatMoment(said_at, m)) : "";
  return (
    <form className="document-access" onSubmit={save}>
      <h3>{m.access.title}</h3>
      <p role="status">
        {said} {m.accounts.mayRead(access.groups.map(m.accounts.groupName).join(", "))} {m.accounts.saidBy[said_by]}
        {who}.
      </p>
      <fieldset className="checks">
        <legend>{m.access.groups}</legend>
        <GroupChoice
          chosen={chosen}
          help={m.access.help}
          onChange={(changed) => {
            setChosen(changed);
            setSure(false);
          }}
        />
      </fieldset>
      {ruled && (
        <label className="scope-check">
          <input
            type="checkbox"
            checked={ofAll}
            onChange={({ target }) => {
              setOfAll(target.checked);
              setSure(false);
            }}
          />
          {m.access.ofDepartment(department)}
        </label>
      )}
      {error && (
        <p className="notice serious" role="alert">
          {changeFailure(error.code, m)}
        </p>
      )}
      {sure && (
        <div className="notice" role="alert">
          <AccessDoubts {...doubts} />
        </div>
      )}
      <p className="owner-choices">
        <button
          type="submit"
          className="button"
          disabled={isPending || doubts.waits || groups.length === 0 || groups.join() === access.groups.join()}
        >
          {sure ? m.access.sure : m.access.save}
        </button>
        {said_by === "admin" && (
          <button type="button" className="link" disabled={isPending} onClick={() => mutate({ groups: null })}>
            {m.access.reset}
          </button>
        )}
        {said_by === "department" && (
          <button
            type="button"
            className="link"
            disabled={isPending}
            onClick={() => mutate({ groups: null, department })}
          >
            {m.access.resetDepartment(department)}
          </button>
        )}
      </p>
    </form>
  );
}
