// What the reader must know before the answer, in one place: from the service, and of what went
// wrong.
import { failureWords, type Messages, useMessages } from "../../../i18n";
import { type AnswerState, isRefused, view } from "../../../state/conversation/answer";
import { placePath } from "../../../state/window/route";
import { named } from "../../../text/documents/documents";
import { noticesSaid, refusalSaid, type SaidNotice, sinceWords } from "../../../text/documents/facts";
import { lazyPart } from "../../shared/controls/lazyPart";
import { Optional } from "../../shared/controls/Optional";
import { following } from "../text/following";

const ForWhom = lazyPart(async () => (await import("./ForWhom")).ForWhom);

const LOOKS: Record<string, string | undefined> = {
  stream_broken: "serious",
  offline: "serious",
  internal: "serious",
  patient_group: "serious",
  conflict: "serious",
  unsupported: "serious",
  lapsed: "serious",
  other_document: "serious",
  table_in_part: "calm",
  unsure: "calm",
  drug_not_named: "serious alarm",
};
const FOR_WHOM = new Set(["twins", "only_for"]); // the question names no patient, and the answer depends on it

interface Props {
  state: AnswerState;
  onAsk(question: string): void; // these words, whatever was asked before
  onOpen(rank: number): void;
}

export function Notices({ state, onAsk, onOpen }: Props) {
  const m = useMessages();
  const notices = noticesOf(state, m);
  const { query, language, since, sources } = view(state);
  const asks = state.kind !== "working" && notices.some(({ code }) => FOR_WHOM.has(code));
  if (notices.length + since.length === 0) return null;
  return (
    <>
      <ul className="notices">
        {since.map((one) => (
          <li key={one.document_id} className="notice serious alarm">
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
        {notices.map(({ code, text, language: said }) => (
          <li key={code + text} className={`notice ${LOOKS[code] ?? ""}`} lang={said || language || undefined}>
            {named(text, sources).map((piece, index) =>
              typeof piece === "string" ? (
                piece
              ) : (
                <a
                  key={index}
                  href={placePath({ document: piece.document_id, page: piece.page, quotes: [] })}
                  lang={piece.language || undefined}
                  onClick={following(() => onOpen(piece.rank))}
                >
                  {piece.title}
                </a>
              ),
            )}
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

function failureOf({ code, refusal }: Extract<AnswerState, { kind: "failed" }>, m: Messages): string {
  if (refusal?.retryAfter && code !== "too_busy") return m.identity.wait(refusal.retryAfter);
  return failureWords(code, m); // the service's own are English
}

/** In the order in which they stand above the answer. */
export function noticesOf(state: AnswerState, m: Messages): SaidNotice[] {
  const { notices, sources } = view(state);
  const language = m.locale.slice(0, 2);
  const own: Pick<SaidNotice, "code" | "text">[] = [];
  if (state.kind === "failed") own.push({ code: state.code, text: failureOf(state, m) });
  if (state.kind === "stopped") own.push({ code: "stopped", text: m.answer.stopped });
  if (state.kind === "complete" && notices.every(({ code }) => code === "pack")) {
    if (state.answer.status === "not_found") own.push({ code: "not_found", text: m.answer.notFound });
    if (state.answer.status === "sources_only" && sources.length > 0)
      own.push({ code: "sources_only", text: m.answer.sourcesOnly });
  }
  // the page's banner says already what the demo's model is
  const said = noticesSaid(notices, m).filter(({ code }) => code !== "demo_model");
  const given = isRefused(state) ? refusalSaid(said) : said;
  return [...given, ...own.map((notice) => ({ ...notice, language }))];
}
