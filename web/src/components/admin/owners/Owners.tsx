// Who answers for documents, by the owners and departments that these name. For admins.
import { type FormEvent, useState } from "react";
import type { Owner } from "../../../api/types";
import { failureWords, useOwnerMessages } from "../../../i18n";
import { useNameOwner, useOwners } from "../../../queries/owners";
import { ownerInAddress } from "../../../state/staff/addresses";
import { Choice } from "../../shared/controls/Choice";
import { Problem } from "../../shared/controls/Problem";
import { Staff } from "../../shared/frame/Staff";
import "../../../styles/answer/owner.css";

const WHICH = ["all", "missing"] as const;

export function Owners() {
  const m = useOwnerMessages();
  const [which, setWhich] = useState<(typeof WHICH)[number]>("all");
  const [search, setSearch] = useState(() => ownerInAddress(location.search));
  const [saved, setSaved] = useState<readonly string[]>([]); // on this visit: their cards stay where they are
  const { data, error } = useOwners();
  const rank = ({ name, known, is_department }: Owner): number =>
    known && !saved.includes(name) ? 2 : Number(is_department);
  const owners =
    data?.owners.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name)) ?? [];
  const missing = owners.filter(({ known }) => !known);
  const words = search.trim().toLowerCase();
  const shown = owners.filter(
    (one) =>
      (which === "all" || !one.known || saved.includes(one.name)) &&
      [one.name, one.mail, ...one.accounts.flatMap(({ name, login }) => [name, login])].some((text) =>
        text.toLowerCase().includes(words),
      ),
  );
  return (
    <Staff page="owners" lead={m.named.lead}>
      {data && !data.mail && <p className="notice">{m.named.noMail}</p>}
      <Problem code={error?.code} />
      <search className="owner-filters">
        <label className="document-field">
          {m.named.search}
          <input type="search" maxLength={200} value={search} onChange={(event) => setSearch(event.target.value)} />
        </label>
        <Choice
          className="document-field"
          label={m.named.show}
          value={which}
          options={WHICH.map((one) => [one, m.named.which[one]] as const)}
          onValue={(chosen) => setWhich(chosen || "all")}
        />
      </search>
      <p className="made" role="status">
        {data && (owners.length > 0 ? m.named.count(owners.length, missing.length) : m.named.none)}
      </p>
      <ul className="cards">
        {shown.map((one) => (
          <Row key={one.name.toLowerCase()} owner={one} onSaved={() => setSaved([...saved, one.name])} />
        ))}
      </ul>
    </Staff>
  );
}

function Row({ owner, onSaved }: { owner: Owner; onSaved(): void }) {
  const m = useOwnerMessages();
  const [mail, setMail] = useState(owner.mail);
  const [accounts, setAccounts] = useState(owner.accounts.map(({ login }) => login).join(", "));
  const { mutate, error, isPending, isSuccess } = useNameOwner();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const logins = accounts.split(",").map((one) => one.trim());
    mutate({ name: owner.name, mail: mail.trim(), accounts: logins.filter(Boolean) }, { onSuccess: onSaved });
  };
  const facts = [
    m.named.documents(owner.documents),
    owner.is_department && m.named.department,
    owner.known ? owner.accounts.map(({ name }) => name).join(", ") : m.named.unknown,
  ].filter(Boolean);
  return (
    <li className="card owner-row">
      <h3 className="document-title">{owner.name}</h3>
      <p className="facts">
        {facts.map((fact) => (
          <span key={String(fact)}>{fact}</span>
        ))}
      </p>
      <form onSubmit={save} aria-label={owner.name}>
        <label className="owner-field">
          {m.named.mail}
          <input type="email" value={mail} maxLength={254} onChange={(event) => setMail(event.target.value)} />
        </label>
        <label className="owner-field">
          {m.named.accounts}
          <input value={accounts} maxLength={2000} onChange={(event) => setAccounts(event.target.value)} />
        </label>
        <p className="owner-choices">
          <button type="submit" className="button" disabled={isPending}>
            {m.named.save}
          </button>
          <span role="status">{isSuccess && m.named.saved}</span>
        </p>
      </form>
      {error && (
        <p className="notice serious" role="alert">
          {error.code === "invalid_input" ? error.message : failureWords(error.code, m)}
        </p>
      )}
    </li>
  );
}
