// A quoted table as its room lets it be read: columns beside each other, or each row from top to
// bottom.
import { type ReactNode, useRef } from "react";
import { useNarrowerThan } from "./useNarrowerThan";

export function Fitted({ children }: { children: ReactNode }) {
  const holder = useRef<HTMLDivElement>(null);
  const [room, narrow] = useNarrowerThan(() => (holder.current ? neededIn(holder.current) : 0));
  return (
    <div className={narrow ? "stacked" : ""} ref={holder}>
      <div ref={room} />
      {children}
    </div>
  );
}

const SHEET = 1150; // pixels of words on the screen that fit a sheet, made smaller
const READABLE = 7; // em: a column that is narrower than its longest words and than this has no room

/** Pixels in which the table's columns can be read beside each other. */
function neededIn(holder: HTMLElement): number {
  const table = holder.querySelector("table");
  if (!table) return 0;
  const { className } = holder;
  holder.style.minHeight = `${holder.offsetHeight}px`; // a page that was lower for a moment would be scrolled up
  holder.className = ""; // drawn as columns while it is measured, which nobody sees
  const least = table.offsetWidth;
  table.style.width = "min-content";
  const breaks = String(table.offsetWidth > SHEET);
  if (!matchMedia("print").matches) holder.dataset.breaks = breaks; // by then the letters' size is decided
  table.style.width = "max-content";
  const rows = [...table.rows].map(({ cells }) => [...cells].map(({ offsetWidth }) => offsetWidth));
  const widest = rows.reduce((most, row) => (row.length > most.length ? row : most), []);
  const most = READABLE * Number.parseFloat(getComputedStyle(table).fontSize);
  table.style.width = "";
  holder.className = className;
  holder.style.minHeight = "";
  return Math.max(
    least,
    widest.reduce((sum, width) => sum + Math.min(width, most), 0),
  );
}
