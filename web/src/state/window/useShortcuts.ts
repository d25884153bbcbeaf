// One listener for the page's keys. Letters count only while nothing is being typed.
import { useEffect, useRef } from "react";
import { known } from "../../text/known";

const KEYS = ["/", "?", "Escape", "j", "k", "n", "p"] as const;
export type Shortcuts = Partial<Record<(typeof KEYS)[number], () => void>>;

export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (document.querySelector("dialog[open]")) return; // an open dialog has the keys to itself
      if (event.key !== "Escape" && isTyping(event.target)) return;
      const key = known(KEYS, event.key);
      const action = key && latest.current[key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("textarea, input, select, [contenteditable]") !== null;
}
