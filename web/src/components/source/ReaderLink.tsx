// Copies a link to the marked place, or to the words that its reader has selected on the pages.
import { useEffect, useState } from "react";
import { useWardMessages } from "../../i18n";
import { liesOn, type Selected, selectedOn } from "../../pdf/selection";
import { findPlace } from "../../queries/documents/pages";
import { type Place, placePath } from "../../state/window/route";
import { byLetters, shortened } from "../../text/documents/shortened";

type Said = "linkCopied" | "wordsCopied" | "pageCopied";

export function ReaderLink({ place }: { place: Place }) {
  const m = useWardMessages();
  const [copied, setCopied] = useState<{ said: Said; of: string } | null>(null);
  const usual = placePath({ ...place, quotes: shortened(place.quotes) });
  useEffect(() => {
    const changed = (): void => setCopied((one) => (one?.said === "linkCopied" ? one : null));
    document.addEventListener("selectionchange", changed);
    return () => document.removeEventListener("selectionchange", changed);
  }, []);
  const copy = async (button: Element): Promise<void> => {
    const selected = selectedOn(button.closest(".source")?.querySelector(".pages") ?? null);
    const words = selected && (await pathOf(place.document, selected));
    const path = words ?? (selected ? placePath({ document: place.document, page: selected.page, quotes: [] }) : usual);
    await navigator.clipboard?.writeText(new URL(path, location.origin).href);
    setCopied({ said: words ? "wordsCopied" : selected ? "pageCopied" : "linkCopied", of: usual });
  };
  const said = copied?.of === usual ? copied.said : null;
  return (
    <span className="reader-link">
      <button
        type="button"
        className="quiet"
        title={m.pane.linkHelp}
        onMouseDown={(event) => event.preventDefault()} // else what is selected is so no more
        onClick={({ currentTarget }) => void copy(currentTarget).catch(() => undefined)}
      >
        <span className="in-turn" data-other={m.made.linkCopied}>
          {said ? m.made.linkCopied : m.made.copyLink}
        </span>
      </button>
      <span className="reader-link-said" aria-live="polite">
        {said === "wordsCopied" && m.pane.wordsCopied}
        {said === "pageCopied" && m.pane.pageCopied}
      </span>
    </span>
  );
}

/** To these words where the service finds them again, and at this place; else null. */
async function pathOf(document: string, { page, quotes, at }: Selected): Promise<string | null> {
  for (const words of quotes) {
    const place = { document, page, quotes: byLetters(words) };
    const { found, quotes: whole, source } = await findPlace(place);
    if (found && liesOn(source.rects, at)) return placePath({ document, page: source.page, quotes: shortened(whole) });
  }
  return null;
}
