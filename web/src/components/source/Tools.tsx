// What can be done with the open source: go to its next place, draw it larger or smaller, open its
// file.
import { type RefObject, useEffect, useState } from "react";
import type { Source } from "../../api/types";
import { useWardMessages } from "../../i18n";
import type { OpenDocument } from "../../pdf/useDocument";
import { fileUrl } from "../../queries/documents/list";
import { AskOwner } from "../owners/lazily";
import { Favourite } from "../shared/controls/Favourite";
import { lazyPart } from "../shared/controls/lazyPart";
import { Menu } from "../shared/controls/Menu";
import { Optional } from "../shared/controls/Optional";
import { Facts } from "../shared/document/Facts";

// What they bring is no part of the first load.
const PrintFile = lazyPart(async () => (await import("./PrintFile")).PrintFile);
const ReaderLink = lazyPart(async () => (await import("./ReaderLink")).ReaderLink);

interface PlacesProps {
  place: number; // which one is shown, from 1
  places: number;
  onMove(step: 1 | -1): void;
}

interface Props extends PlacesProps {
  source: Source;
  document: OpenDocument;
  page: number;
  quotes: readonly string[]; // of the place that is shown
  wordsAt: number; // its page
  zoom: number;
  onZoom(zoom: number): void;
  finding: boolean;
  find: RefObject<HTMLButtonElement | null>; // the button, which has the focus when the search is closed
  onFind(): void;
  thumbnails: boolean;
  onThumbnails(): void;
  alone: boolean; // nothing stands beside it
  folded: boolean; // there is no room for more than the most used of them
}

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4];
export const LARGEST = 4;
const SEEN = 1.1; // a step that is smaller is not seen

export function Tools(props: Props) {
  const { document, zoom, onZoom, place, places, onMove, folded } = props;
  const m = useWardMessages();
  const larger = ZOOMS.find((one) => one > zoom * SEEN);
  const smaller = ZOOMS.findLast((one) => one * SEEN < zoom);
  return (
    <div className="source-tools">
      {places > 1 && <Places {...{ place, places, onMove }} />}
      {document.kind === "open" && !folded && <PageNumber {...props} />}
      <span className="spacer" />
      <span className="zooms">
        <button
          type="button"
          className="quiet icon"
          onClick={() => smaller && onZoom(smaller)}
          disabled={!smaller}
          aria-label={m.pane.zoomOut}
          title={m.pane.zoomOut}
        >
          −
        </button>
        <button type="button" className="quiet fit" onClick={() => onZoom(1)} title={m.pane.fit}>
          {Math.round(zoom * 100)}%
        </button>
        <button
          type="button"
          className="quiet icon"
          onClick={() => larger && onZoom(larger)}
          disabled={!larger}
          aria-label={m.pane.zoomIn}
          title={m.pane.zoomIn}
        >
          +
        </button>
      </span>
      <Others {...props} />
    </div>
  );
}

function usePrintKey(open: boolean, onPress: (pressed: boolean) => void): void {
  useEffect(() => {
    if (!open) return;
    const pressed = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (window.document.querySelector("dialog[open]")) return;
      event.preventDefault();
      onPress(true);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [open, onPress]);
}

function PageNumber({ document, page }: Props) {
  const m = useWardMessages();
  return document.kind === "open" && <span className="muted">{m.pane.page(page, document.pages.length)}</span>;
}

/** Folded they lie in a menu, with what has no room above it. */
function Others(props: Props) {
  const { source, document, page, quotes, wordsAt, finding, find, onFind, thumbnails, onThumbnails, alone, folded } =
    props;
  const m = useWardMessages();
  const open = document.kind === "open" ? document : null;
  const [asks, setAsks] = useState(false);
  usePrintKey(open !== null, setAsks);
  const ask = alone && (
    <Optional key="ask" fallback={null}>
      <AskOwner about={{ ...source, page }} kind="question" quotes={quotes} />
    </Optional>
  );
  const buttons = [
    <button
      key="find"
      type="button"
      className="quiet"
      ref={find}
      aria-expanded={finding}
      disabled={!open}
      onClick={onFind}
      aria-label={m.pane.find}
      title={`${m.pane.find} (Ctrl+F)`}
    >
      {m.pane.findShort}
    </button>,
    open && open.pages.length > 1 && (
      <button key="pages" type="button" className="quiet of-room" aria-pressed={thumbnails} onClick={onThumbnails}>
        {m.pane.thumbnails}
      </button>
    ),
    <Favourite
      key="favourite"
      className="quiet of-room"
      id={source.document_id}
      source={source.document}
      title={source.title}
    />,
    <Optional key="link" fallback={null}>
      <ReaderLink place={{ document: source.document_id, page: quotes.length > 0 ? wordsAt : page, quotes }} />
    </Optional>,
    open && (
      <Optional key="print" fallback={null}>
        <PrintFile pdf={open.pdf} id={source.document_id} {...{ alone, asks }} onAsked={() => setAsks(false)} />
      </Optional>
    ),
    <a
      key="file"
      className="quiet"
      href={`${fileUrl(source.document_id)}#page=${page}`}
      target="_blank"
      rel="noreferrer"
    >
      {m.pane.download}
    </a>,
  ].filter(Boolean);
  if (!folded) return buttons;
  return (
    <Menu label={m.pane.more} className="to-left source-more">
      <li className="muted">
        <p lang={source.language || undefined}>{source.title}</p>
        <Facts source={source} />
        <PageNumber {...props} />
      </li>
      {[...buttons, ask].map((one, index) => one && <li key={index}>{one}</li>)}
    </Menu>
  );
}

function Places({ place, places, onMove }: PlacesProps) {
  const m = useWardMessages();
  return (
    <span className="places">
      <button
        type="button"
        className="quiet"
        onClick={() => onMove(-1)}
        aria-label={m.pane.previous}
        title={`${m.pane.previous} (p)`}
      >
        ↑
      </button>
      <span aria-live="polite">{m.pane.place(place, places)}</span>
      <button
        type="button"
        className="quiet"
        onClick={() => onMove(1)}
        aria-label={m.pane.next}
        title={`${m.pane.next} (n)`}
      >
        ↓
      </button>
    </span>
  );
}
