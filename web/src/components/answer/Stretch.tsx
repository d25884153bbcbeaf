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

const topOf = (turn: Element): number => turn.getBoundingClientRect().top;

export function Stretch({ turns, always, draw }: Props) {
  const own = useRef<HTMLDivElement>(null);
  const used = useRef(false); // what its reader did in it is not lost
  const seen = useRef<[Element, number]>(undefined); // the first turn in sight and where: its reader was led to it
  const [near, setNear] = useState(always);
  useEffect(() => {
    const stretch = own.current;
    if (always || !stretch) return;
    const observer = new IntersectionObserver(([entry]) => {
      seen.current = [...stretch.children]
        .map((turn): [Element, number] => [turn, topOf(turn)])
        .find(([, top]) => top > 0 && top < innerHeight);
      setNear(used.current || !!entry?.isIntersecting);
    }, MARGINS);
    observer.observe(stretch);
    for (const deed of ["focusin", "pointerdown"]) {
      stretch.addEventListener(deed, () => {
        used.current = true;
      });
    }
    return () => observer.disconnect();
  }, [always]);
  useLayoutEffect(() => {
    if (!near || !seen.current) return;
    const [turn, top] = seen.current;
    const moved = topOf(turn) - top; // by what is drawn around it: the pane, or on a phone the window, follows
    turn.closest(".conversation")?.scrollBy(0, moved);
    scrollBy(0, moved);
  }, [near]);
  const far = !always && !near;
  return (
    <div className={`stretch ${far ? "far" : ""}`} ref={own}>
      {turns.map((turn) => draw(turn, far))}
    </div>
  );
}
