// What makes the page's column wider or narrower, without moving what is read or pressed there.
import { useCallback, useState } from "react";
import { flushSync } from "react-dom";

const COLUMN = ".conversation";

/** What has the focus, where it is in sight; else what stands in the middle. */
function heldIn(column: Element): Element | null {
  const { top, bottom, left, width } = column.getBoundingClientRect();
  const focused = document.activeElement;
  const at = focused && column.contains(focused) ? focused.getBoundingClientRect() : null;
  if (at && at.bottom > top && at.top < Math.min(bottom, innerHeight)) return focused;
  return document.elementFromPoint(left + width / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2);
}

/** As useState. */
export function useHeldInPlace<T>(first: T): [T, (value: T) => void] {
  const [value, setValue] = useState(first);
  const set = useCallback((next: T): void => {
    const column = document.querySelector(COLUMN);
    const held = column && heldIn(column);
    const before = held?.getBoundingClientRect().top ?? 0;
    flushSync(() => setValue(next));
    if (!column || !held?.isConnected) return;
    const by = held.getBoundingClientRect().top - before;
    column.scrollBy(0, by / Number(getComputedStyle(column).getPropertyValue("zoom") || 1));
  }, []);
  return [value, set];
}
