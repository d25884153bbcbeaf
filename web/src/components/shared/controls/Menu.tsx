// A list that hangs from a word in the bar. One is open at a time; Escape, or going elsewhere,
// closes it.
import { type KeyboardEvent, type ReactNode, type RefObject, useRef } from "react";

interface Props {
  label: string;
  current?: boolean; // the page that is shown is one of its own
  menu?: RefObject<HTMLDetailsElement | null>; // to close it by
  className?: string;
  onToggle?(open: boolean): void;
  children: ReactNode; // of a `ul`
}

export function Menu({ label, current = false, menu, className = "", onToggle, children }: Props) {
  const own = useRef<HTMLDetailsElement>(null);
  const details = menu ?? own;
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !details.current?.open) return;
    event.preventDefault(); // the source behind it stays open
    details.current.open = false;
    details.current.querySelector("summary")?.focus();
  };
  return (
    <details
      className={`menu ${className}`}
      name="bar"
      ref={details}
      onToggle={(event) => event.target === event.currentTarget && onToggle?.(event.currentTarget.open)}
      onKeyDown={keyDown}
      onBlur={(event) => closeWhenLeft(event.currentTarget, event.relatedTarget)}
    >
      <summary className={`quiet ${current ? "current" : ""}`}>{label}</summary>
      <ul>{children}</ul>
    </details>
  );
}

function closeWhenLeft(menu: HTMLDetailsElement, to: EventTarget | null): void {
  if (to instanceof Node && menu.contains(to)) return;
  if (to !== null) menu.open = false;
}
