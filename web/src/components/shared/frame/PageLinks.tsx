// The ways to the pages of few, for those who may see them.
import type { KeyboardEvent } from "react";
import { useMessages } from "../../../i18n";
import { useRoles } from "../../../queries/session";
import { type OwnPage, pagesFor, pathOf } from "../../../state/window/route";
import { useNarrow } from "../../../state/window/useNarrow";

/** On a narrow screen they lie folded behind the name of this one: in full they would fill a phone's. */
export function PageLinks({ current }: { current?: OwnPage }) {
  const m = useMessages();
  const pages = pagesFor(useRoles());
  const folded = useNarrow() && current !== undefined && pages.length > 1;
  const links = pages.map((page) => (
    <a key={page} className="quiet" href={pathOf(page)} aria-current={page === current ? "page" : undefined}>
      {m.pageNames[page]}
    </a>
  ));
  if (!folded)
    return (
      <nav className="page-links" aria-label={m.pages}>
        {links}
      </nav>
    );
  return (
    <nav aria-label={m.pages}>
      <details className="menu" onKeyDown={closeByEscape}>
        <summary className="quiet">{m.pageNames[current]} ▾</summary>
        <ul>
          {links.map((link) => (
            <li key={link.key}>{link}</li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

function closeByEscape({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>): void {
  if (key !== "Escape") return;
  currentTarget.open = false;
  currentTarget.querySelector("summary")?.focus();
}
