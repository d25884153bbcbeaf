// Whether the window is so narrow that an open source lies over the conversation.
import { useCallback, useSyncExternalStore } from "react";

const NARROW = "(max-width: 1023px)"; // as in layout.css

export function useNarrow(): boolean {
  const subscribe = useCallback((changed: () => void) => {
    const query = window.matchMedia(NARROW);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}
