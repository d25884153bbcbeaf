// The timers that run, under the bar of every page; one whose time is up lies over everything until
// somebody says so, and is heard.
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useWardMessages } from "../../../i18n";
import {
  clockOf,
  startTimer,
  stopTimer,
  type Timer,
  useKept,
  useTimers,
  watch,
} from "../../../state/conversation/steps";
import "../../../styles/answer/steps.css";

export function Timers() {
  useKept();
  useEffect(watch, []);
  return <Running />;
}

/** While nobody is signed in they run on and ring; what they are for is not said. */
export const LockedTimers = () => useTimers().length > 0 && <Running locked />;

function Running({ locked = false }: { locked?: boolean }) {
  const m = useWardMessages();
  const timers = useTimers();
  const now = useNow(timers.length > 0);
  const running = timers.filter(({ until }) => until > now);
  const due = timers.filter(({ until }) => until <= now);
  useSound(due.map(({ id }) => id).join(" "));
  return (
    <>
      {running.length > 0 && (
        <ul className="timers" aria-label={m.steps.timers}>
          {running.map((timer) => (
            <li key={timer.id} title={locked ? undefined : timer.step}>
              <span role="timer" className="clock">
                {clockOf(timer.until - now)}
              </span>
              {!locked && (
                <>
                  <span className="step" lang={timer.language || undefined}>
                    {timer.step}
                  </span>
                  <button
                    type="button"
                    className="quiet"
                    aria-label={m.steps.stopOf(timer.step)}
                    onClick={() => stopTimer(timer.id)}
                  >
                    {m.steps.stop}
                  </button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {createPortal(
        <div className="timers-due" role="alert">
          {due.map((timer) => (
            <Due key={timer.id} timer={timer} locked={locked} />
          ))}
        </div>,
        document.body,
      )}
    </>
  );
}

interface DueProps {
  timer: Timer;
  locked: boolean;
}

function Due({ timer: { id, step, language, words, seconds }, locked }: DueProps) {
  const m = useWardMessages();
  const again = (): void => {
    stopTimer(id);
    startTimer({ step, language, words, seconds });
  };
  return (
    <section className="timer-due" aria-label={m.steps.due(words)}>
      <p>
        <strong>{m.steps.due(words)}</strong> {!locked && <span lang={language || undefined}>{step}</span>}
      </p>
      <button type="button" className="button primary" onClick={() => stopTimer(id)}>
        {m.steps.done}
      </button>
      <button type="button" className="button" onClick={again}>
        {m.steps.again(words)}
      </button>
    </section>
  );
}

const SOON = 250; // milliseconds

function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const clock = setInterval(() => setNow(Date.now()), SOON);
    return () => clearInterval(clock);
  }, [running]);
  return now;
}

/**
 * Three short tones each time that another timer is due, and none when one of several is dismissed.
 * Where the browser gives no sound there is still what is shown. `due`: ids, with blanks between.
 */
function useSound(due: string): void {
  const sounded = useRef<ReadonlySet<string>>(new Set());
  const silence = useRef<() => void>(undefined);
  useEffect(() => {
    const ids = due.split(" ").filter(Boolean);
    const another = ids.some((id) => !sounded.current.has(id));
    sounded.current = new Set(ids);
    if (another || ids.length === 0) silence.current?.();
    if (another) silence.current = tones();
  }, [due]);
  useEffect(() => () => silence.current?.(), []);
}

/** Return what ends them. */
function tones(): () => void {
  if (!window.AudioContext) return () => undefined;
  const audio = new AudioContext();
  for (const at of [0, 0.4, 0.8]) {
    const tone = audio.createOscillator();
    tone.frequency.value = 880;
    tone.connect(audio.destination);
    tone.start(audio.currentTime + at);
    tone.stop(audio.currentTime + at + 0.2);
  }
  const close = (): void => void audio.close().catch(() => undefined);
  const end = setTimeout(close, 2000);
  return () => {
    clearTimeout(end);
    close();
  };
}
