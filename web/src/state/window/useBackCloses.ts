// What lies over the page is one step in the browser's history: Back closes it, and the
// conversation under it stays.
import { useEffect, useRef } from "react";

const OVER = "over"; // marks the step in the history's own state

const isOver = (): boolean => typeof history.state === "object" && history.state !== null && OVER in history.state;

/** `over`: something lies over the page now. `close` takes it away. */
export function useBackCloses(over: boolean, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!over) return;
    history.pushState({ [OVER]: true }, "", location.href);
    const gone = (): void => latest.current();
    addEventListener("popstate", gone);
    return () => {
      removeEventListener("popstate", gone);
      if (isOver()) history.back(); // closed by another way: its step goes too
    };
  }, [over]);
}
