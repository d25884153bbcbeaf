// Where the focus goes when a row of a list goes away: to the next one, else to the one before it.

/**
 * Call it while the row is there; what it returns puts the focus there, or on `otherwise` when the
 * row was the only one.
 */
export function neighbourOf(rows: string, otherwise: string): () => void {
  const all = Array.from(document.querySelectorAll(rows));
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? undefined : (all[at + 1] ?? all[at - 1]);
  return () =>
    (next?.querySelector<HTMLElement>("a, button") ?? document.querySelector<HTMLElement>(otherwise))?.focus();
}
