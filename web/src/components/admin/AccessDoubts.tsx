// What a choice of readers brings that is hardly meant: nobody is in a group, or the admin who
// chooses is in none.
import { useStaffMessages } from "../../i18n";
import { useSession } from "../../queries/session";
import { useGroups } from "../../queries/staff/accounts";
import { canRead, withoutReaders } from "../../state/staff/account";

interface Doubts {
  strange: readonly string[]; // groups through which nobody reads
  nobody: boolean; // all of them
  loses: boolean; // the admin's own reading
}

/**
 * `given`: who reads it until now; `waits`: it is not known yet; `again`: looks who is in
 * the groups now.
 */
export function useAccessDoubts(groups: readonly string[], given: readonly string[] = []) {
  const own = useSession().data?.user?.groups;
  const some = groups.length > 0;
  const { data: known, isPending, refetch: again } = useGroups(some);
  const empty = withoutReaders(groups, known ?? []);
  const nobody = known !== undefined && some && empty.length === groups.length;
  const strange = known ? empty.filter((group) => nobody || !given.includes(group)) : [];
  const loses = own !== undefined && some && !canRead(own, groups);
  return { strange, nobody, loses, waits: some && isPending, again, any: loses || strange.length > 0 };
}

export function AccessDoubts({ strange, nobody, loses }: Doubts) {
  const m = useStaffMessages();
  const provider = useSession().data?.sign_in === "oidc";
  return (
    <>
      {strange.length > 0 && (
        <p>
          {m.access.empty(strange, nobody)} {provider && m.access.emptyYet}
        </p>
      )}
      {loses && <p>{m.access.losesIt}</p>}
    </>
  );
}
