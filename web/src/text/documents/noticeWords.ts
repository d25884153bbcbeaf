// What is said above an answer, and instead of one that is refused.
import type { Notice } from "../../api/types";
import type { Messages } from "../../i18n";

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
