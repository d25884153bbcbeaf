// What a checklist has whatever it is made of: under it how many are done and the way back, and
// timers where a step names a time.
import { useRef } from "react";
import { useWardMessages } from "../../i18n";
import { reset, show, startTimer, useKept, useTicks, useWatched } from "../../state/conversation/steps";
import { durationsIn } from "../../text/answer/durations";
import "../../styles/answer/steps.css";

interface Props {
  list: string; // which list or table of which answer
  count: number; // of its steps
  whole: string; // what the way back is called
}

export function TicksFoot({ list, count, whole }: Props) {
  const m = useWardMessages();
  useKept();
  const { shown, done } = useTicks(list);
  const button = useRef<HTMLButtonElement>(null);
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
      {shown && <p className="muted">{m.steps.kept}</p>}
    </div>
  );
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
