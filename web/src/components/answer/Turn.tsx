// One question with its answer: notices, the answer's words, how long it took, its sources.
import { useState } from "react";
import type { Notice, Source, Span } from "../../api/types";
import { formatSeconds, type Messages, useMessages } from "../../i18n";
import { type AnswerState, view } from "../../state/answer";
import type { Opened } from "../../state/conversation";
import { AnswerText } from "./AnswerText";
import { Feedback } from "./Feedback";
import { Progress } from "./Progress";
import { SourceCard } from "./SourceCard";

interface Props {
  state: AnswerState;
  opened: Opened | null; // when the open source is one of this answer
  latest: boolean;
  onOpen(rank: number, span?: Span): void;
  onAgain(question: string): void;
  onLiteral(question: string): void;
  feedback?: boolean; // whether the reader is asked what they think of it
}

export function Turn({ state, opened, latest, onOpen, onAgain, onLiteral, feedback = true }: Props) {
  const m = useMessages();
  const { question, query, text, spans, sources, unsupported } = view(state);
  const writing = state.kind === "working";
  const ended = state.kind === "failed" || state.kind === "stopped" || wasCutShort(state);
  return (
    <article className="turn">
      <h2 className="question">{question}</h2>
      {query !== question && (
        <p className="searched">
          <span>{m.answer.query(query)}</span>
          <button type="button" className="link" onClick={() => onLiteral(question)}>
            {m.answer.literal}
          </button>
        </p>
      )}
      <Notices notices={noticesOf(state, m)} />
      {text && (
        <AnswerText {...{ text, spans, sources, writing, unsupported }} onSpan={(span) => onOpen(span.rank, span)} />
      )}
      {writing && <Progress state={state} />}
      {ended && (
        <button type="button" className="button" onClick={() => onAgain(question)}>
          {m.answer.again}
        </button>
      )}
      {state.kind === "complete" && <Made state={state} />}
      {state.kind === "complete" && feedback && <Feedback answer={state.answer} />}
      <Sources
        key={String(latest)}
        {...{ sources, spans, opened, onOpen }}
        heading={headingOf(state, m)}
        folded={!latest}
      />
    </article>
  );
}

/** Of an answer that was stored: its reader stopped it, or it broke off. */
function wasCutShort(state: AnswerState): boolean {
  if (state.kind !== "complete") return false;
  return state.answer.status === "failed" || state.answer.notices.some(({ code }) => code === "stopped");
}

/** Everything the reader must know before the answer, in one place: from the server, and of what went wrong. */
function noticesOf(state: AnswerState, m: Messages): Notice[] {
  const { notices, sources } = view(state);
  const own: Notice[] = [];
  if (state.kind === "failed")
    own.push({ code: state.code, text: m.errors[state.code] ?? (state.message || m.errors.internal) });
  if (state.kind === "stopped") own.push({ code: "stopped", text: m.answer.stopped });
  if (state.kind === "complete" && notices.length === 0) {
    if (state.answer.status === "not_found") own.push({ code: "not_found", text: m.answer.notFound });
    if (state.answer.status === "sources_only" && sources.length > 0)
      own.push({ code: "sources_only", text: m.answer.sourcesOnly });
  }
  return [...notices.filter((notice) => notice.code !== "demo_model"), ...own]; // the page's banner says that already
}

const SERIOUS = new Set(["stream_broken", "offline", "internal", "patient_group", "conflict", "unsupported"]);

function Notices({ notices }: { notices: readonly Notice[] }) {
  if (notices.length === 0) return null;
  return (
    <ul className="notices">
      {notices.map((notice) => (
        <li key={notice.code + notice.text} className={SERIOUS.has(notice.code) ? "notice serious" : "notice"}>
          {notice.text}
        </li>
      ))}
    </ul>
  );
}

/** "4 sources, 1.2 s, by SmolLM2-135M-Instruct", and a button that copies the words. */
function Made({ state }: { state: Extract<AnswerState, { kind: "complete" }> }) {
  const m = useMessages();
  const [copied, setCopied] = useState(false);
  const { answer, sources, model, stats } = state.answer;
  const milliseconds = state.milliseconds ?? (typeof stats.seconds === "number" ? stats.seconds * 1000 : null);
  const parts = [m.answer.sources(sources.length)];
  if (milliseconds !== null) parts.push(m.answer.seconds(formatSeconds(milliseconds, m)));
  if (answer && model) parts.push(m.answer.model(model === "demo" ? m.answer.demoModel : model));
  const copy = (): void => void navigator.clipboard?.writeText(answer).then(() => setCopied(true));
  return (
    <p className="made">
      <span>{parts.join(" · ")}</span>
      {answer && (
        <button type="button" className="link" onClick={copy}>
          {copied ? m.answer.copied : m.answer.copy}
        </button>
      )}
    </p>
  );
}

function headingOf(state: AnswerState, m: Messages): string | null {
  return state.kind === "complete" && state.answer.status === "not_found" ? m.answer.nearest : null;
}

const FIRST = 4;

interface SourcesProps {
  sources: readonly Source[];
  spans: readonly Span[];
  opened: Opened | null;
  heading: string | null;
  folded: boolean;
  onOpen(rank: number): void;
}

function Sources({ sources, spans, opened, heading, folded, onOpen }: SourcesProps) {
  const m = useMessages();
  const few = folded ? 0 : FIRST;
  const [all, setAll] = useState(false);
  const cited = new Set(spans.map((span) => span.rank));
  const shown = sources.filter(
    (source, index) => all || index < few || (!folded && (cited.has(source.rank) || opened?.rank === source.rank)),
  );
  const hidden = sources.length - shown.length;
  return (
    <>
      {heading && sources.length > 0 && <h3 className="sources-heading">{heading}</h3>}
      {shown.length > 0 && (
        <ol className="cards">
          {shown.map((source) => (
            <SourceCard
              key={source.rank}
              source={source}
              spans={spans}
              open={opened?.rank === source.rank}
              onOpen={onOpen}
            />
          ))}
        </ol>
      )}
      {(hidden > 0 || all) && sources.length > few && (
        <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? m.card.less : shown.length > 0 ? m.card.more(hidden) : m.card.all(hidden)}
        </button>
      )}
    </>
  );
}
