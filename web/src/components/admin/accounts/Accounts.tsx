// Who may sign in: found by name, role, group and state; each opens to what an admin may change of
// it.
import { useRef, useState } from "react";
import type { Account } from "../../../api/types";
import { formatMoment, useStaffMessages } from "../../../i18n";
import { functionsOf, nameOf, useFacets } from "../../../queries/documents/facets";
import { useAccounts } from "../../../queries/staff/accounts";
import { useDelayed } from "../../../queries/useDelayed";
import { ACCOUNT_ROLES, type AccountFilters, STATES } from "../../../state/staff/account";
import { Choice } from "../../shared/controls/Choice";
import { Problem } from "../../shared/controls/Problem";
import { Staff } from "../../shared/frame/Staff";
import { AccountForm } from "./AccountForm";
import { NewAccount } from "./NewAccount";

const ALL: AccountFilters = { search: "", role: "", group: "", state: "all" };

export function Accounts() {
  const m = useStaffMessages();
  const [filters, setFilters] = useState(ALL);
  const [adding, setAdding] = useState(false);
  const [said, setSaid] = useState("");
  const opener = useRef<HTMLButtonElement>(null);
  const list = useAccounts({
    search: useDelayed(filters.search.trim()),
    group: filters.group,
    role: filters.role || undefined,
    suspended: filters.state === "all" ? undefined : filters.state === "suspended",
  });
  const accounts = list.data?.pages.flatMap((page) => page.accounts) ?? [];
  const { total, groups = [] } = list.data?.pages.at(-1) ?? {};
  const close = (words: string): void => {
    setAdding(false);
    setSaid(words);
    opener.current?.focus(); // where the focus was is gone
  };
  return (
    <Staff page="accounts" lead={m.accounts.lead}>
      <Filters filters={filters} groups={groups} onFilters={setFilters} />
      <p className="judge-foot">
        <button type="button" className="button" ref={opener} aria-expanded={adding} onClick={() => setAdding(true)}>
          {m.accounts.new}
        </button>
        <span role="status">{said}</span>
      </p>
      {adding && <NewAccount onMade={(name) => close(m.accounts.made(name))} onCancel={() => close("")} />}
      <Problem code={list.error?.code} />
      {total !== undefined && <p className="made">{m.accounts.count(accounts.length, total)}</p>}
      {total === 0 && <p className="empty-list">{m.accounts.none}</p>}
      <ul className="cards">
        {accounts.map((account) => (
          <Row key={account.id} account={account} />
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" className="link" onClick={() => void list.fetchNextPage()}>
          {m.accounts.more}
        </button>
      )}
    </Staff>
  );
}

interface FiltersProps {
  filters: AccountFilters;
  groups: readonly string[];
  onFilters(filters: AccountFilters): void;
}

function Filters({ filters, groups, onFilters }: FiltersProps) {
  const m = useStaffMessages();
  return (
    <search className="field-row">
      <label className="document-field">
        {m.accounts.search}
        <input
          type="search"
          value={filters.search}
          maxLength={200}
          onChange={(event) => onFilters({ ...filters, search: event.target.value })}
        />
      </label>
      <Choice
        className="document-field"
        label={m.accounts.role}
        value={filters.role}
        none={m.accounts.any}
        options={ACCOUNT_ROLES.map((role) => [role, m.roles[role]] as const)}
        onValue={(role) => onFilters({ ...filters, role })}
      />
      <Choice
        className="document-field"
        label={m.accounts.group}
        value={filters.group}
        none={m.accounts.any}
        options={groups.map((group) => [group, m.accounts.groupName(group)] as const)}
        onValue={(group) => onFilters({ ...filters, group })}
      />
      <Choice
        className="document-field"
        label={m.accounts.state}
        value={filters.state}
        options={STATES.map((state) => [state, m.accounts.states[state]] as const)}
        onValue={(state) => onFilters({ ...filters, state: state || "all" })}
      />
    </search>
  );
}

function Row({ account }: { account: Account }) {
  const [open, setOpen] = useState(false);
  return (
    <li className="card document">
      <details onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}>
        <Summary account={account} />
        {open && <AccountForm account={account} />}
      </details>
    </li>
  );
}

function Summary({ account }: { account: Account }) {
  const m = useStaffMessages();
  const { name, login, all_roles, groups, claimed_groups, signs_in, signed_in_at, suspended_at, sessions } = account;
  const { data: facets } = useFacets();
  const asker = nameOf(functionsOf(facets, m), account.function);
  const facts = [
    login,
    all_roles.map((role) => m.roles[role]).join(", "),
    [asker, account.department].filter(Boolean).join(", "),
    [...new Set([...groups, ...claimed_groups])].map(m.accounts.groupName).join(", "),
    m.accounts.signsIn[signs_in],
    signs_in !== "keys" && (signed_in_at ? m.accounts.lastSeen(formatMoment(signed_in_at, m)) : m.accounts.neverSeen),
    sessions > 0 && m.accounts.sessions(sessions),
  ].filter(Boolean);
  return (
    <summary>
      <span className="document-title">{name}</span>
      <span className="facts">
        {facts.map((fact) => (
          <span key={String(fact)}>{fact}</span>
        ))}
      </span>
      {suspended_at && <span className="caution">{m.accounts.suspendedSince(formatMoment(suspended_at, m))}</span>}
    </summary>
  );
}
