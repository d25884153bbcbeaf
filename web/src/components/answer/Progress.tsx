// What happens while an answer is made, in words and times; and afterwards, how long it took.
import { useEffect, useState } from "react";
import { formatSeconds, type Messages, useMessages } from "../../i18n";
import type { AnswerState } from "../../state/conversation/answer";

export function Progress({ state }: { state: Extract<AnswerState, { kind: "working" }> }) {
  const m = useMessages();
  const now = useClock();
  const { stage, passages } = state;
  const doing = stage === "reading" ? m.stage.reading(passages) : m.stage[stage];
  const wait = Math.ceil((state.waitsUntil - now) / 1000);
  const past = state.past.filter(({ name }) => name !== "sending");
  return (
    <div className="progress">
      <span className="progress-now">{wait > 0 ? m.answer.waits(wait) : `${doing}…`}</span>
      <span className="muted">{m.answer.seconds(formatSeconds(Math.max(0, now - state.askedAt), m))}</span>
      {past.map(({ name, milliseconds }) => (
        <span key={name} className="muted">
          {m.stage.past[name]} {inWords(milliseconds, m)}
        </span>
      ))}
      {state.silent && <span className="progress-silent">{m.answer.silent}</span>}
    </div>
  );
}

function inWords(milliseconds: number, m: Messages): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : m.answer.seconds(formatSeconds(milliseconds, m));
}

/** A clock that ticks ten times a second; the same one as Date.now(). */
function useClock(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return now;
}
