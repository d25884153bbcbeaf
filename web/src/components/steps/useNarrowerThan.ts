// Whether something has less room than it needs: measured where it stands, whatever the window's
// width says.
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** What comes first is for an element that is as wide as the room whatever is found. */
export function useNarrowerThan(needed: () => number): [RefObject<HTMLDivElement | null>, boolean] {
  const room = useRef<HTMLDivElement>(null);
  const [narrower, setNarrower] = useState(false);
  const measure = useRef<() => void>(() => undefined);
  measure.current = () => setNarrower((room.current?.clientWidth ?? 0) < needed());
  useLayoutEffect(() => measure.current()); // what it holds may have grown
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => measure.current());
    if (room.current) observer.observe(room.current);
    return () => observer.disconnect();
  }, []);
  return [room, narrower];
}
