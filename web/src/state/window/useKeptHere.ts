// What a page was asked to show, kept with its place in the window's history: who follows a link
// and comes back finds it as it was.
import { useState } from "react";

export function useKeptHere<T extends object>(first: T): [T, (part: Partial<T>) => void] {
  const [shown, setShown] = useState<T>(() => ({ ...first, ...history.state?.shown }));
  const show = (part: Partial<T>): void => {
    const now = { ...shown, ...part };
    setShown(now);
    history.replaceState({ ...history.state, shown: now }, "");
  };
  return [shown, show];
}
