// Which groups somebody is in by hand. Who may not change them sees them.
import { useStaffMessages } from "../../../i18n";
import { useRoles } from "../../../queries/session";
import { type Given, mayChangeMemberships } from "../../../state/staff/account";
import { GroupChoice } from "../GroupChoice";

interface Props {
  given: Given;
  claimed?: readonly string[]; // in which they are besides
  onChange(given: Given): void;
}

export function GroupFields({ given, claimed = [], onChange }: Props) {
  const m = useStaffMessages();
  const may = mayChangeMemberships(useRoles());
  return (
    <fieldset className="checks">
      <legend>{m.accounts.groupsLabel}</legend>
      <GroupChoice
        chosen={given}
        help={may ? m.accounts.groupsHelp : m.accounts.groupsNotYours}
        onChange={may ? (chosen) => onChange({ ...given, ...chosen }) : undefined}
      />
      {claimed.length > 0 && <p className="field-help">{m.accounts.claimed(claimed.join(", "))}</p>}
    </fieldset>
  );
}
