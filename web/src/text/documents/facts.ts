// What a reader must know to trust a source, in words: version, whose, for whom, until when.
import type { Answer, Notice, Since, Source } from "../../api/types";
import { dayOf, formatDay, type Messages } from "../../i18n";

interface Wanted {
  page?: boolean;
  owner?: boolean;
}

export function factsOf(source: Source, m: Messages, { page = false, owner = false }: Wanted = {}): string[] {
  return [
    page ? m.card.page(source.page) : "",
    source.version && m.card.version(source.version),
    source.department,
    source.target_groups.map((group) => m.card.groups[group]).join(", "),
    owner && source.owner ? m.card.owner(source.owner) : "",
  ].filter(Boolean);
}

type Days = Pick<Source, "valid_from" | "valid_until">;

export const isExpired = ({ valid_until }: Days): boolean => valid_until !== null && valid_until < dayOf(new Date());

export function validityOf(source: Days, m: Messages): string {
  const [from, until] = [source.valid_from, source.valid_until].map((day) => day && formatDay(day, m));
  if (isExpired(source) && until) return m.card.expired(until);
  if (from && until) return m.card.valid(from, until);
  if (from) return m.card.validFrom(from);
  return until ? m.card.validUntil(until) : "";
}

/** "1. Anafylaxie bij kinderen, versie 3, pagina 2, geldig tot 1 mrt 2027 (anafylaxie.pdf)" */
export function citationOf(source: Source, page: number, m: Messages): string {
  const facts = [m.card.page(page), ...factsOf(source, m), validityOf(source, m)].filter(Boolean);
  return `${source.rank}. ${[source.title, ...facts].join(", ")} (${source.document})`;
}

const NEAREST = 3; // sources that stand for an answer that quotes none

/** Each place that the answer quotes; where it quotes nothing, its first sources. */
export function placesOf({ sources, spans }: Pick<Answer, "sources" | "spans">): { source: Source; page: number }[] {
  if (spans.length === 0) return sources.slice(0, NEAREST).map((source) => ({ source, page: source.page }));
  const places = new Map(spans.map(({ rank, page }) => [`${rank} ${page}`, { rank, page }]));
  return [...places.values()].flatMap(({ rank, page }) => {
    const source = sources.find((one) => one.rank === rank);
    return source ? [{ source, page }] : [];
  });
}

/** "Koorts: this document was replaced since. What counts now:", and then what does. */
export function sinceWords({ title, withdrawn, reason, newer, expired_on }: Since, m: Messages): string {
  const { retired, newer: replacedBy, replaced } = m.answer;
  const ended = expired_on ? `${m.card.expired(formatDay(expired_on, m))}.` : !withdrawn && replaced;
  return [`${title}:`, withdrawn && retired + (reason ? `: ${reason}` : "."), newer ? replacedBy : ended]
    .filter(Boolean)
    .join(" ");
}

/**
 * What goes with an answer wherever it is pasted: what stood above it, where each part comes from,
 * and the day.
 */
export function originOf(answer: Pick<Answer, "notices" | "since" | "sources" | "spans">, m: Messages): string {
  const notices = noticesSaid(answer.notices, m).map(({ text }) => text);
  const said = [...answer.since.map((one) => sinceWords(one, m)), ...notices];
  const cited = answer.spans.length > 0 ? placesOf(answer).map(({ source, page }) => citationOf(source, page, m)) : [];
  return [...said, ...cited, m.answer.copiedOn(formatDay(dayOf(new Date()), m))].join("\n");
}

/**
 * A notice in the page's language, else as it was stored; `language`: of the words, "" for that of
 * the answer.
 */
export function noticeWords({ text, texts, language }: Notice, m: Messages): Pick<Notice, "text" | "language"> {
  const own = m.locale.slice(0, 2);
  const said = texts[own];
  return said ? { text: said, language: own } : { text, language };
}

/** What helps no reader: right answers lack words of the question as often as wrong ones. */
const UNSAID = new Set(["not_named"]);

export type SaidNotice = Pick<Notice, "code" | "text" | "language">;

/** What the page says of an answer, in its language. */
export const noticesSaid = (notices: readonly Notice[], m: Messages): SaidNotice[] =>
  notices.filter(({ code }) => !UNSAID.has(code)).map((one) => ({ code: one.code, ...noticeWords(one, m) }));

// Said whatever the reason is: of the question, and of what would have answered it.
const BESIDES = ["twins", "only_for", "identity_removed", "stored_later", "not_stored", "pack", "lapsed"];

/** One sentence says why there is no answer: the one that says most. */
export function refusalSaid(notices: readonly SaidNotice[]): SaidNotice[] {
  const why = notices.filter(({ code }) => !BESIDES.includes(code));
  const most = why.find(({ code }) => code !== "not_found") ?? why[0];
  return notices.filter((one) => BESIDES.includes(one.code) || one === most);
}
