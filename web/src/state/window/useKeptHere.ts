// What a page was asked to show, kept in its address, with how far down it was: who comes back
// finds it as it was, and who is sent the address finds the same.
import { useEffect, useState } from "react";
import { addressOf, inAddress, type Shown } from "../shown";

/** `first`: what is shown at first, which no address says; an address says a value in its type. */
export function useKeptHere<T extends Shown<T>>(first: T): [T, (part: Partial<T>) => void] {
  const [shown, setShown] = useState<T>(() => inAddress(location.search, first));
  const show = (part: Partial<T>): void => {
    const now = { ...shown, ...part };
    setShown(now);
    history.replaceState(history.state, "", `${location.pathname}${addressOf(now, first)}${location.hash}`);
  };
  return [shown, show];
}

/**
 * Words that no address and no log may hold, for a question may be about a patient: with this place
 * in the tab's history, and for `whose` they are alone.
 */
export function useWordsKept(whose: string): [string, (words: string) => void] {
  const [words, setWords] = useState<string>(() => {
    const kept = history.state?.words;
    return kept?.whose === whose ? kept.text : "";
  });
  const keep = (text: string): void => {
    setWords(text);
    history.replaceState({ ...history.state, words: { whose, text } }, "");
  };
  return [words, keep];
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
    addEventListener("scrollend", keep, true); // it may be loaded again
    return () => {
      removeEventListener("click", keep, true);
      removeEventListener("scrollend", keep, true);
    };
  }, []);
  useEffect(() => {
    if (!drawn) return;
    const { page = 0, within = 0 } = history.state?.left ?? {};
    scrollTo(0, page);
    scroller()?.scrollTo(0, within);
  }, [drawn]);
}
