// How many times as large as normal this reader has the words, and so the pages.
import { useSyncExternalStore } from "react";

const SIZES: Record<string, number> = { larger: 1.4, largest: 2 }; // as in layout.css

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-size"] });
  return () => observer.disconnect();
}

export const useWordSize = (): number =>
  useSyncExternalStore(subscribe, () => SIZES[document.documentElement.dataset.size ?? ""] ?? 1);
