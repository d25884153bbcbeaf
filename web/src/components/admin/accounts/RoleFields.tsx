// Which roles somebody has by hand, each with what it means. One that the reader cannot give is
// shown where somebody has it.
import { useStaffMessages } from "../../../i18n";
import { type Role, useRoles } from "../../../queries/session";
import { ACCOUNT_ROLES, rolesToGive, toggled } from "../../../state/staff/account";

interface Props {
  chosen: readonly Role[];
  byGroups?: readonly Role[]; // which they have besides, whatever is chosen here
  onChange(chosen: Role[]): void;
}

export function RoleFields({ chosen, byGroups = [], onChange }: Props) {
  const m = useStaffMessages();
  const mine = rolesToGive(useRoles());
  return (
    <fieldset className="checks">
      <legend>{m.accounts.rolesLabel}</legend>
      {ACCOUNT_ROLES.filter((role) => mine.includes(role) || chosen.includes(role)).map((role) => (
        <label key={role}>
          <input
            type="checkbox"
            checked={chosen.includes(role)}
            disabled={!mine.includes(role)}
            onChange={() => onChange(toggled(chosen, role))}
          />
          <span>
            {m.roles[role]} <span className="muted">{m.accounts.roleHelp[role]}</span>
          </span>
        </label>
      ))}
      {byGroups.length > 0 && (
        <p className="field-help">{m.accounts.alsoRole(byGroups.map((role) => m.roles[role]).join(", "))}</p>
      )}
    </fieldset>
  );
}
