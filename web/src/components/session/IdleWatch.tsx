// Says a minute before that an unused session ends, and ends it: on a ward PC the next person must
// not find the last one's questions.
import { useEffect, useRef, useState } from "react";
import { useMessages } from "../../i18n";
import { stillThere } from "../../queries/session";
import { recall, remember } from "../../settings";
import { type Idle, idleAfter, lastUse } from "../../state/window/idle";

const TELL_AGAIN = 30; // seconds: the service is told of use at most so often

export function IdleWatch({ seconds, onEnd }: { seconds: number; onEnd(): void }) {
  const m = useMessages();
  const [idle, setIdle] = useState<Idle>({ kind: "used" });
  const used = useRef(Date.now());
  const told = useRef(Date.now());
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    remember("used", String(used.current));
    const use = (): void => {
      used.current = Date.now();
      remember("used", String(used.current)); // the session is that of all tabs
      setIdle((now) => (now.kind === "ending" ? { kind: "used" } : now));
      if (used.current - told.current < Math.min(TELL_AGAIN, seconds / 4) * 1000) return;
      told.current = used.current;
      void stillThere().catch(() => undefined);
    };
    const look = (): void => {
      used.current = lastUse(used.current, recall("used"), Date.now());
      const now = idleAfter((Date.now() - used.current) / 1000, seconds);
      setIdle(now);
      if (now.kind === "ended") end.current();
    };
    const timer = setInterval(look, 1000);
    for (const name of ["pointerdown", "keydown", "wheel"]) addEventListener(name, use, { passive: true });
    return () => {
      clearInterval(timer);
      for (const name of ["pointerdown", "keydown", "wheel"]) removeEventListener(name, use);
    };
  }, [seconds]);
  if (idle.kind !== "ending") return null;
  return (
    <div className="idle" role="alertdialog" aria-label={m.session.endingTitle}>
      <p>{m.session.ending(idle.seconds)}</p>
      <button type="button" className="button">
        {m.session.stay}
      </button>
    </div>
  );
}
