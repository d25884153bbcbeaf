// One account: its roles and groups, and what ends or begins its use.
import { type FormEvent, useState } from "react";
import type { ApiError } from "../../../api/errors";
import type { Account } from "../../../api/types";
import { failureWords, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useChangeAccount, useEndSessions } from "../../../queries/staff/accounts";
import { allGroups, changesOf, givenOf, isGroup } from "../../../state/staff/account";
import { keysAddress } from "../../../state/staff/addresses";
import { Confirm } from "../../shared/controls/Confirm";
import { AskerFields } from "./AskerFields";
import { GroupFields } from "./GroupFields";
import { Password } from "./Password";
import { RoleFields } from "./RoleFields";
import { Why } from "./Why";

interface Props {
  account: Account;
}

export function AccountForm({ account }: Props) {
  const m = useStaffMessages();
  const [given, setGiven] = useState(() => givenOf(account));
  const [said, setSaid] = useState("");
  const change = useChangeAccount(account.id);
  const byGroups = account.all_roles.filter((role) => !account.roles.includes(role));
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (given.typed.trim() !== "" && !isGroup(given.typed)) {
      setSaid(m.accounts.badGroup);
      return;
    }
    const body = changesOf(account, given);
    if (!body) {
      setSaid(m.accounts.nothing);
      return;
    }
    setSaid(m.accounts.saving);
    change.mutate(body, {
      onSuccess: (changed) => {
        setGiven(givenOf(changed));
        setSaid(m.accounts.saved);
      },
      onError: (error) => {
        setGiven((now) => ({ ...now, groups: allGroups(now), typed: "" }));
        setSaid(refusedWords(error, m));
      },
    });
  };
  return (
    <>
      <form className="account-form" onSubmit={save}>
        <RoleFields chosen={given.roles} byGroups={byGroups} onChange={(roles) => setGiven({ ...given, roles })} />
        <GroupFields given={given} claimed={account.claimed_groups} onChange={setGiven} />
        <AskerFields given={given} onChange={setGiven} />
        <button type="submit" className="button primary" disabled={change.isPending}>
          {m.accounts.save}
        </button>
        <p className="document-said" role="status">
          {said}
        </p>
      </form>
      <Ends account={account} />
      {account.signs_in === "password" && <Password id={account.id} />}
      <Why account={account} />
    </>
  );
}

/** What ends the account's use, or lets it begin again. */
function Ends({ account: { id, name, login, suspended_at, sessions } }: { account: Account }) {
  const m = useStaffMessages();
  const [said, setSaid] = useState("");
  const change = useChangeAccount(id);
  const end = useEndSessions(id);
  const suspend = (suspended: boolean): void =>
    change.mutate(
      { suspended },
      {
        onSuccess: () => setSaid(suspended ? m.accounts.suspended : m.accounts.reinstated),
        onError: (error) => setSaid(refusedWords(error, m)),
      },
    );
  const signOut = (): void =>
    end.mutate(undefined, {
      onSuccess: ({ sessions: ended }) => setSaid(m.accounts.ended(ended)),
      onError: (error) => setSaid(refusedWords(error, m)),
    });
  return (
    <div className="account-ends">
      <a className="link" href={keysAddress(login ?? id)}>
        {m.accounts.keysOf}
      </a>
      {sessions > 0 && (
        <Confirm
          label={m.accounts.endSessions}
          question={m.accounts.sureEnd(name)}
          yes={m.accounts.yesEnd}
          onYes={signOut}
        />
      )}
      {suspended_at ? (
        <button type="button" className="link" onClick={() => suspend(false)}>
          {m.accounts.reinstate}
        </button>
      ) : (
        <Confirm
          label={m.accounts.suspend}
          question={m.accounts.sureSuspend(name)}
          yes={m.accounts.yesSuspend}
          onYes={() => suspend(true)}
        />
      )}
      <p className="document-said" role="status">
        {said}
      </p>
    </div>
  );
}

const refusedWords = ({ code, status }: ApiError, m: StaffMessages): string => {
  if (code === "conflict") return m.accounts.refused.own;
  if (code === "not_found") return m.accounts.refused.gone;
  return status === 400 || status === 422 ? m.accounts.refused.invalid : failureWords(code, m);
};
