// Who may read what is loaded: chosen before it is, and said of each file after.
import { useId } from "react";
import { formatMoment, useStaffMessages } from "../../i18n";
import { useAccess } from "../../queries/staff/documents";
import type { Chosen } from "../../state/staff/account";
import { GroupChoice } from "./GroupChoice";

interface Props {
  usual: readonly string[]; // who may by default
  chosen: Chosen | null | undefined; // null: these; undefined: nothing is said yet
  disabled: boolean;
  onChange(chosen: Chosen | null): void;
}

export function LoadReaders({ usual, chosen, disabled, onChange }: Props) {
  const m = useStaffMessages();
  const name = useId();
  return (
    <fieldset className="checks load-readers" disabled={disabled}>
      <legend>{m.access.atLoad}</legend>
      <label>
        <input type="radio" name={name} checked={chosen === null} onChange={() => onChange(null)} />
        {m.access.usual(usual.map(m.accounts.groupName).join(", "))}
      </label>
      <label>
        <input type="radio" name={name} checked={chosen != null} onChange={() => onChange({ groups: [], typed: "" })} />
        {m.access.chosen}
      </label>
      {chosen && <GroupChoice chosen={chosen} help={m.access.help} onChange={onChange} />}
    </fieldset>
  );
}

/** Of a file that was loaded for these groups; none: for who may by default. */
export function LoadedReaders({ id, groups }: { id: string; groups: readonly string[] }) {
  const m = useStaffMessages();
  const { data: access, error } = useAccess(id);
  if (error && groups.length > 0) return <span className="caution">{m.access.notYours(groups)}</span>;
  if (!access) return null;
  const { said_by, said_at, user_name } = access;
  const who = said_by === "admin" && user_name && said_at ? m.accounts.saidAt(user_name, formatMoment(said_at, m)) : "";
  const readers = m.accounts.mayRead(access.groups.map(m.accounts.groupName).join(", "));
  return <span>{said_by === "source" ? readers : `${readers} ${m.accounts.saidBy[said_by]}${who}.`}</span>;
}
