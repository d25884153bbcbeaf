// What a reader must know to trust a source: version, validity, whose, for whom.
import type { Source } from "../../api/types";
import { dayOf, formatDay, type Messages, useMessages } from "../../i18n";

export function Facts({ source, page = false }: { source: Source; page?: boolean }) {
  const m = useMessages();
  const expired = isExpired(source);
  const facts = [
    page ? m.card.page(source.page) : "",
    source.version && m.card.version(source.version),
    source.department,
    source.target_groups.map((group) => m.card.groups[group]).join(", "),
  ].filter(Boolean);
  const validity = validityOf(source, expired, m);
  return (
    <p className="facts">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {validity && <span className={expired ? "warn" : undefined}>{validity}</span>}
    </p>
  );
}

function isExpired(source: Source): boolean {
  return source.valid_until !== null && source.valid_until < dayOf(new Date());
}

function validityOf({ valid_from, valid_until }: Source, expired: boolean, m: Messages): string {
  const [from, until] = [valid_from && formatDay(valid_from, m), valid_until && formatDay(valid_until, m)];
  if (expired && until) return m.card.expired(until);
  if (from && until) return m.card.valid(from, until);
  if (from) return m.card.validFrom(from);
  return until ? m.card.validUntil(until) : "";
}
