// What a page was asked to show, kept in its address, with how far down it was: who comes back
// finds it as it was, and who is sent the address finds the same.
import { useEffect, useState } from "react";
import { keepInTab, keptInTab } from "../../settings";
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

type Words = Record<string, { whose: string; text: string }>; // by the place where they were typed

const wordsInTab = (): Words => JSON.parse(keptInTab("words") || "{}");

/**
 * Words that no address and no log may hold, for a question may be about a patient: for this place
 * in the tab's history and for `whose` they are alone, until these sign out. The history itself
 * holds no more than a name for the place, for nobody can take a thing out of all of it.
 */
export function useWordsKept(whose: string): [string, (words: string) => void] {
  const [words, setWords] = useState<string>(() => {
    const kept = wordsInTab()[history.state?.words];
    return kept?.whose === whose ? kept.text : "";
  });
  const keep = (text: string): void => {
    const place: string = history.state?.words ?? String(Date.now());
    setWords(text);
    history.replaceState({ ...history.state, words: place }, "");
    keepInTab("words", JSON.stringify({ ...wordsInTab(), [place]: { whose, text } }));
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
