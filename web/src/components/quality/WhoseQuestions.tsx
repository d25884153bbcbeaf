// Whose questions the lists for quality staff hold: of people of their own groups alone.
import { useStaffMessages } from "../../i18n";
import { useSession } from "../../queries/session";
import { EVERYONE, ownGroups } from "../../state/staff/account";

export function WhoseQuestions() {
  const m = useStaffMessages();
  const groups = useSession().data?.user?.groups ?? [EVERYONE]; // where one does not sign in
  return <p className="muted">{m.quality.whose(ownGroups(groups), groups.includes(EVERYONE))}</p>;
}
