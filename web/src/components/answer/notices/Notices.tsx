// What the reader must know before the answer, in one place: from the service, and of what went
// wrong. What is a hint only stands below it.
import { lazy } from "react";
import type { Notice } from "../../../api/types";
import { type Messages, useMessages } from "../../../i18n";
import { type AnswerState, isRefused, view } from "../../../state/conversation/answer";
import { placePath } from "../../../state/window/route";
import { sinceWords } from "../../../text/documents/facts";
import { Optional } from "../../shared/controls/Optional";

const ForWhom = lazy(async () => ({ default: (await import("./ForWhom")).ForWhom }));

const SERIOUS = new Set([
  "stream_broken",
  "offline",
  "internal",
  "patient_group",
  "conflict",
  "unsupported",
  "other_document",
]);
const ALARMING = new Set(["drug_not_named"]);
const BELOW = new Set(["not_named"]);
const FOR_WHOM = new Set(["twins", "only_for"]); // the question names no patient, and the answer depends on it

interface Props {
  state: AnswerState;
  below?: boolean; // the answer
  onAsk(question: string): void; // these words, whatever was asked before
}

export function Notices({ state, below = false, onAsk }: Props) {
  const m = useMessages();
  const notices = noticesOf(state, m).filter(({ code }) => BELOW.has(code) === below);
  const { query, language, since } = view(state);
  const asks = state.kind !== "working" && notices.some(({ code }) => FOR_WHOM.has(code));
  const changed = below ? [] : since;
  if (notices.length + changed.length === 0) return null;
  return (
    <>
      <ul className={below ? "notices below" : "notices"}>
        {changed.map((one) => (
          <li key={one.document_id} className="notice serious">
            {sinceWords(one, m)}{" "}
            {one.newer && (
              <a
                href={placePath({ document: one.newer.id, page: 1, quotes: [] })}
                lang={one.newer.language || undefined}
              >
                {one.newer.title}
              </a>
            )}
          </li>
        ))}
        {notices.map(({ code, text, own, language: said }) => (
          <li
            key={code + text}
            className={`notice ${ALARMING.has(code) ? "serious alarm" : SERIOUS.has(code) ? "serious" : ""}`}
            lang={own ? undefined : said || language || undefined}
          >
            {text}
          </li>
        ))}
      </ul>
      {asks && (
        <Optional fallback={null}>
          <ForWhom question={query} language={language} onAsk={onAsk} />
        </Optional>
      )}
    </>
  );
}

const ABOUT_QUESTION = new Set(["identity_removed", "stored_later", "not_stored", "pack"]);

/** One sentence says why there is no answer: the one that says most. */
const whyRefused = (notices: readonly Notice[]): Notice | undefined =>
  notices.find(({ code }) => code !== "not_found" && !ABOUT_QUESTION.has(code)) ?? notices[0];

type Words = Pick<Notice, "code" | "text"> & Partial<Notice>;

function failureOf({ code, message, refusal }: Extract<AnswerState, { kind: "failed" }>, m: Messages): string {
  if (refusal?.retryAfter) return m.identity.wait(code === "too_busy", refusal.retryAfter);
  return m.errors[code] ?? (message || m.errors.internal);
}

interface Said extends Words {
  own?: boolean; // the page's, in its language
}

/** In the order in which they stand above the answer. */
export function noticesOf(state: AnswerState, m: Messages): Said[] {
  const { notices, sources } = view(state);
  const own: Words[] = [];
  if (state.kind === "failed") own.push({ code: state.code, text: failureOf(state, m) });
  if (state.kind === "stopped") own.push({ code: "stopped", text: m.answer.stopped });
  if (state.kind === "complete" && notices.every(({ code }) => code === "pack")) {
    if (state.answer.status === "not_found") own.push({ code: "not_found", text: m.answer.notFound });
    if (state.answer.status === "sources_only" && sources.length > 0)
      own.push({ code: "sources_only", text: m.answer.sourcesOnly });
  }
  const said = notices.filter(({ code }) => code !== "demo_model"); // the page's banner says that already
  const given = isRefused(state)
    ? said.filter((one) => ABOUT_QUESTION.has(one.code) || one === whyRefused(said))
    : said;
  return [...given, ...own.map((notice) => ({ ...notice, own: true }))];
}
