// A stretch of a conversation. Far from what is seen it holds the words alone: they are read, found
// and scrolled past as ever, and cost next to nothing.
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Turn } from "../../state/conversation/conversation";

const FAR = "200%";
const MARGINS = { rootMargin: FAR, scrollMargin: FAR }; // of the window, and of the pane where that scrolls

interface Props {
  turns: readonly Turn[];
  always: boolean; // drawn wherever it stands
  draw(turn: Turn, far: boolean): ReactNode;
}

export function Stretch({ turns, always, draw }: Props) {
  const own = useRef<HTMLDivElement>(null);
  const used = useRef(false); // what its reader did in it is not lost
  const [near, setNear] = useState(always);
  useEffect(() => {
    if (always || !own.current) return;
    const observer = new IntersectionObserver(([entry]) => setNear(used.current || !!entry?.isIntersecting), MARGINS);
    observer.observe(own.current);
    return () => observer.disconnect();
  }, [always]);
  useEffect(() => {
    const use = (): void => {
      used.current = true;
    };
    for (const deed of ["focusin", "pointerdown"]) own.current?.addEventListener(deed, use);
  }, []);
  const far = !always && !near;
  return (
    <div className={`stretch ${far ? "far" : ""}`} ref={own}>
      {turns.map((turn) => draw(turn, far))}
    </div>
  );
}
