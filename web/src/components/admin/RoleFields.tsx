// Which roles somebody has by hand, each with what it means.
import { useMessages } from "../../i18n";
import type { Role } from "../../queries/session";
import { ACCOUNT_ROLES, toggled } from "../../state/account";

interface Props {
  chosen: readonly Role[];
  byGroups?: readonly Role[]; // which they have besides, whatever is chosen here
  onChange(chosen: Role[]): void;
}

export function RoleFields({ chosen, byGroups = [], onChange }: Props) {
  const m = useMessages();
  return (
    <fieldset className="checks">
      <legend>{m.accounts.rolesLabel}</legend>
      {ACCOUNT_ROLES.map((role) => (
        <label key={role}>
          <input type="checkbox" checked={chosen.includes(role)} onChange={() => onChange(toggled(chosen, role))} />
          <span>
            {m.accounts.roles[role]} <span className="muted">{m.accounts.roleHelp[role]}</span>
          </span>
        </label>
      ))}
      {byGroups.length > 0 && (
        <p className="field-help">{m.accounts.alsoRole(byGroups.map((role) => m.accounts.roles[role]).join(", "))}</p>
      )}
    </fieldset>
  );
}
