// A stretch of a conversation. Far from what is seen it holds the words alone: they are read, found
// and scrolled past as ever, and cost next to nothing.
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
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
  const held = useRef<Held | null>(null);
  useEffect(() => {
    if (always || !own.current) return;
    const stretch = own.current;
    const observer = new IntersectionObserver(([entry]) => {
      held.current = inSight(stretch);
      setNear(used.current || !!entry?.isIntersecting);
    }, MARGINS);
    observer.observe(stretch);
    return () => observer.disconnect();
  }, [always]);
  useLayoutEffect(() => {
    if (near && held.current) keep(held.current);
    held.current = null;
  }, [near]);
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

/** Where a turn stands in the window. */
interface Held {
  turn: Element;
  top: number;
}

/** The first turn of a stretch that is seen: its reader was led to it, by words that were looked for. */
function inSight(stretch: Element): Held | null {
  for (const turn of stretch.querySelectorAll(".turn")) {
    const { top, bottom } = turn.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) return { turn, top };
  }
  return null;
}

/** What is drawn around it has moved a turn: it is brought back. */
function keep({ turn, top }: Held): void {
  const pane = turn.closest(".conversation");
  const scrolls = pane && pane.scrollHeight > pane.clientHeight ? pane : document.documentElement;
  scrolls.scrollTop += turn.getBoundingClientRect().top - top;
}
