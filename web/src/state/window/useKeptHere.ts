// What a page was asked to show, kept with its place in the window's history: who follows a link
// and comes back finds it as it was.
import { useEffect, useState } from "react";

export function useKeptHere<T extends object>(first: T): [T, (part: Partial<T>) => void] {
  const [shown, setShown] = useState<T>(() => ({ ...first, ...history.state?.shown }));
  const show = (part: Partial<T>): void => {
    const now = { ...shown, ...part };
    setShown(now);
    history.replaceState({ ...history.state, shown: now }, "");
  };
  return [shown, show];
}

const scroller = (): Element | null => document.querySelector(".conversation"); // in a wide window; else the page is

/** How far down the page was when it was left; gone to as soon as what it showed is `drawn`. */
export function usePlaceKept(drawn: boolean): void {
  useEffect(() => {
    const keep = (): void => {
      const left = { page: scrollY, within: scroller()?.scrollTop ?? 0 };
      history.replaceState({ ...history.state, left }, "");
    };
    addEventListener("click", keep, true); // before what was clicked leads elsewhere
    return () => removeEventListener("click", keep, true);
  }, []);
  useEffect(() => {
    if (!drawn) return;
    const { page = 0, within = 0 } = history.state?.left ?? {};
    scrollTo(0, page);
    scroller()?.scrollTo(0, within);
  }, [drawn]);
}
