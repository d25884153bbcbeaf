// Tells a screen reader what became of a question when that is known, not each of its words.
import { failureWords, type Messages, useMessages } from "../../i18n";
import { type AnswerState, view } from "../../state/conversation/answer";
import type { Turn } from "../../state/conversation/conversation";
import { byDocument } from "../../text/documents/documents";
import { noticesSaid, refusalSaid } from "../../text/documents/facts";
import { Optional } from "../shared/controls/Optional";
import { PrintedSources } from "./text/lazily";

export function Announcer({ turn }: { turn: Turn | undefined }) {
  const m = useMessages();
  const said = turn && spoken(turn.state, m);
  return (
    <p className="sr-only" role="status" aria-live="polite">
      {turn?.state.kind === "complete" ? (
        <Optional fallback={null} failed={said}>
          <PrintedSources state={turn.state} heard={said} />
        </Optional>
      ) : (
        said
      )}
    </p>
  );
}

/**
 * What is heard: that there is an answer, or none and what is nearest, or why there is none; and
 * what must be known first.
 */
function spoken(state: AnswerState, m: Messages): string {
  if (state.kind === "working") {
    if (state.silent) return m.answer.silent;
    return state.waitsUntil > 0 ? m.answer.waits(0) : "";
  }
  if (state.kind === "stopped") return m.answer.stoppedSpoken;
  if (state.kind === "failed") return m.answer.failedSpoken(failureWords(state.code, m));
  const { sources, notices, status } = view(state);
  const said = noticesSaid(notices, m).filter(({ code }) => code !== "demo_model");
  if (status === "not_found") {
    const why = refusalSaid(said).map(({ text }) => text);
    return [...why, m.answer.nearestSpoken(byDocument(sources).length)].join(" ");
  }
  const end = status === "answered" ? m.answer.complete(sources.length) : m.answer.sourcesSpoken(sources.length);
  return [end, ...said.map(({ text }) => text)].join(" ");
}
