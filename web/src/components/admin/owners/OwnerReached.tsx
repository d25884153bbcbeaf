// Whether what is asked of an owner reaches anybody: said where the owner of documents is set, with
// what is lacking one click away.
import { useStaffMessages } from "../../../i18n";
import { useNameOwner, useOwners } from "../../../queries/owners";
import { useAccountsCalled } from "../../../queries/staff/accounts";
import { ownerAddress } from "../../../state/staff/addresses";
import { folded } from "../../../state/staff/metadata";
import { Problem } from "../../shared/controls/Problem";
import "../../../styles/answer/owner.css";

/** For admins. `name`: as it was saved. */
export function OwnerReached({ name }: { name: string }) {
  const { data } = useOwners();
  const own = data?.owners.find((one) => folded(one.name) === folded(name));
  return data && name.trim() && !own?.known ? <Unknown key={name} name={name.trim()} /> : null;
}

function Unknown({ name }: { name: string }) {
  const m = useStaffMessages();
  const { data: accounts } = useAccountsCalled(name);
  const { mutate, error, isPending } = useNameOwner();
  const called =
    accounts?.filter((one) => folded(one.name) === folded(name) && !one.suspended_at && one.signs_in !== "keys") ?? [];
  return (
    <div className="notice" aria-live="polite">
      <p>{m.owner.unknown(name)}</p>
      <p className="owner-choices">
        {called.map(({ id, name: whose, login }) => (
          <button
            key={id}
            type="button"
            className="button"
            disabled={isPending}
            onClick={() => mutate({ name, mail: "", accounts: [id] })}
          >
            {m.owner.answers(whose, login || id)}
          </button>
        ))}
        <a className="link" href={ownerAddress(name)}>
          {m.owner.say}
        </a>
      </p>
      <Problem code={error?.code} />
    </div>
  );
}
