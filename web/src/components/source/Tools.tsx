// What can be done with the open source: go to its next place, draw it larger or smaller, open its
// file.
import type { RefObject } from "react";
import type { Source } from "../../api/types";
import { useWardMessages } from "../../i18n";
import type { OpenDocument } from "../../pdf/useDocument";
import { fileUrl } from "../../queries/documents/list";
import { Favourite } from "../shared/controls/Favourite";
import { PrintFile } from "./PrintFile";
import { ReaderLink } from "./ReaderLink";

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
}

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4];
export const LARGEST = 4;
const SEEN = 1.1; // a step that is smaller is not seen

export function Tools({
  source,
  document,
  page,
  quotes,
  wordsAt,
  zoom,
  onZoom,
  place,
  places,
  onMove,
  ...more
}: Props) {
  const { finding, find, onFind, thumbnails, onThumbnails, alone } = more;
  const m = useWardMessages();
  const larger = ZOOMS.find((one) => one > zoom * SEEN);
  const smaller = ZOOMS.findLast((one) => one * SEEN < zoom);
  return (
    <div className="source-tools">
      {places > 1 && <Places {...{ place, places, onMove }} />}
      {document.kind === "open" && <span className="muted">{m.pane.page(page, document.pages.length)}</span>}
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
      <button
        type="button"
        className="quiet"
        ref={find}
        aria-expanded={finding}
        disabled={document.kind !== "open"}
        onClick={onFind}
        aria-label={m.pane.find}
        title={`${m.pane.find} (Ctrl+F)`}
      >
        {m.pane.findShort}
      </button>
      {document.kind === "open" && document.pages.length > 1 && (
        <button type="button" className="quiet of-room" aria-pressed={thumbnails} onClick={onThumbnails}>
          {m.pane.thumbnails}
        </button>
      )}
      <Favourite className="quiet of-room" id={source.document_id} source={source.document} title={source.title} />
      <ReaderLink place={{ document: source.document_id, page: quotes.length > 0 ? wordsAt : page, quotes }} />
      {document.kind === "open" && <PrintFile pdf={document.pdf} id={source.document_id} alone={alone} />}
      <a className="quiet" href={`${fileUrl(source.document_id)}#page=${page}`} target="_blank" rel="noreferrer">
        {m.pane.download}
      </a>
    </div>
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
