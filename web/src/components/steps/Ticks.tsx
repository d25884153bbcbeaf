// What a checklist has whatever it is made of: under it how many are done, when, and of what, and
// the way back; and timers where a step names a time.
import { useRef } from "react";
import type { Span } from "../../api/types";
import { formatInstant, useWardMessages } from "../../i18n";
import { reset, show, startTimer, useKept, useTicks, useWatched } from "../../state/conversation/steps";
import type { Run } from "../../text/answer/blocks";
import { durationsIn } from "../../text/answer/durations";
import "../../styles/answer/steps.css";

/** What is ticked off, and the part of an answer that it is in. */
export interface Steps {
  list: string; // which list or table of which answer; empty: of one that is still written, and cannot be ticked off
  language: string; // of the steps
  runs: readonly Run[];
  spans: readonly Span[];
  onSpan(span: Span): void;
}

interface Props extends Steps {
  count: number; // of its steps
  whole: string; // what the way back is called
}

export function TicksFoot({ list, language, runs, spans, onSpan, count, whole }: Props) {
  const m = useWardMessages();
  useKept();
  const { shown, done } = useTicks(list);
  const button = useRef<HTMLButtonElement>(null);
  const heading = headingIn(runs);
  const last = spans.at(-1);
  const set = [...done.values()].filter(Boolean).map((one) => formatInstant(new Date(one).toISOString(), m));
  const times = [...new Set([...set.slice(0, 1), ...set.slice(-1)])]; // of the first and of the last
  const startAnew = (): void => {
    reset(list);
    button.current?.focus(); // what was pressed goes
  };
  return (
    <div className="ticks" lang={m.locale}>
      {shown && (
        <span className="ticked" role="status">
          {m.steps.ticked(done.size, count)}
        </span>
      )}
      {shown && <progress max={count} value={done.size} aria-hidden="true" />}
      {shown && done.size > 0 && (
        <button type="button" className="link" onClick={startAnew}>
          {m.steps.reset}
        </button>
      )}
      <button type="button" className="link" ref={button} onClick={() => show(list, !shown)}>
        {shown ? whole : m.steps.tick}
      </button>
      {shown && times.length > 0 && <p className="muted">{m.steps.times(times)}</p>}
      {shown && last && (
        <p className="muted">
          {m.steps.ofList}
          {heading && (
            <>
              {" ("}
              <q lang={language || undefined}>{heading}</q>
              {")"}
            </>
          )}
          . {m.steps.quotedOnly}{" "}
          <button type="button" className="link" onClick={() => onSpan(last)}>
            {m.steps.open}
          </button>
        </p>
      )}
      {shown && <p className="muted">{m.steps.kept}</p>}
    </div>
  );
}

/** What stands over the steps, where something does. */
function headingIn(runs: readonly Run[]): string {
  const words = runs.filter((run) => run.kind === "words");
  const said = words.findLast(({ as: drawn }) => drawn === "heading")?.said ?? [];
  return said.reduce((text, one) => text + one.text, "").trim();
}

/** `step`: the words it belongs to, where they are more than the text; `language`: of both. */
export function StartTimers({ text, step = text, language }: { text: string; step?: string; language: string }) {
  const m = useWardMessages();
  const watched = useWatched();
  return (watched ? durationsIn(text) : []).map(({ seconds, text: words }) => (
    <button
      key={seconds}
      type="button"
      className="chip"
      lang={m.locale}
      onClick={() => startTimer({ step, language, words, seconds })}
    >
      {m.steps.start(words)}
    </button>
  ));
}
