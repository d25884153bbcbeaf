// How narrow the window is.
import { useCallback, useSyncExternalStore } from "react";

function useMedia(media: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const query = matchMedia(media);
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    [media],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(media).matches);
}

/** So narrow that an open source lies over the conversation. */
export const useNarrow = (): boolean => useMedia("(max-width: 1023px)"); // as in layout.css

/** So narrow that the bar has no room for all menus and ways of who sees most of them, in larger
 * words the sooner (layout.css). */
export const useFolded = (size: string): boolean =>
  useMedia(`(max-width: ${{ larger: 1679, largest: 2399 }[size] ?? 1199}px)`);

/** So narrow that a whole page's words cannot be read. */
export const usePhone = (): boolean => useMedia("(max-width: 640px)"); // as in touch.css
