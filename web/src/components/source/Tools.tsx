// What can be done with the open source: go to its next place, draw it larger or smaller, open its file.
import type { Source } from "../../api/types";
import { useMessages } from "../../i18n";
import type { OpenDocument } from "../../pdf/useDocument";
import { fileUrl } from "../../queries/documents";
import { placePath } from "../../state/window/route";
import { CopyLink } from "../shared/controls/CopyLink";
import { Favourite } from "../shared/controls/Favourite";

interface PlacesProps {
  place: number; // which one is shown, from 1
  places: number;
  onMove(step: 1 | -1): void;
}

interface Props extends PlacesProps {
  source: Source;
  document: OpenDocument;
  page: number;
  words: string; // of the place that is shown
  wordsAt: number; // its page
  zoom: number;
  onZoom(zoom: number): void;
}

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3];
export const LARGEST = 3;
const SEEN = 1.1; // a step that is smaller is not seen

export function Tools({ source, document, page, words, wordsAt, zoom, onZoom, place, places, onMove }: Props) {
  const m = useMessages();
  const larger = ZOOMS.find((one) => one > zoom * SEEN);
  const smaller = ZOOMS.findLast((one) => one * SEEN < zoom);
  return (
    <div className="source-tools">
      {places > 1 && <Places {...{ place, places, onMove }} />}
      {document.kind === "open" && <span className="muted">{m.viewer.page(page, document.pages.length)}</span>}
      <span className="spacer" />
      <span className="zooms">
        <button
          type="button"
          className="quiet icon"
          onClick={() => smaller && onZoom(smaller)}
          disabled={!smaller}
          aria-label={m.viewer.zoomOut}
          title={m.viewer.zoomOut}
        >
          −
        </button>
        <button type="button" className="quiet fit" onClick={() => onZoom(1)} title={m.viewer.fit}>
          {Math.round(zoom * 100)}%
        </button>
        <button
          type="button"
          className="quiet icon"
          onClick={() => larger && onZoom(larger)}
          disabled={!larger}
          aria-label={m.viewer.zoomIn}
          title={m.viewer.zoomIn}
        >
          +
        </button>
      </span>
      <Favourite className="quiet" id={source.document_id} title={source.title} />
      <CopyLink
        className="quiet"
        path={placePath({ document: source.document_id, page: words ? wordsAt : page, quote: words })}
      />
      <a className="quiet" href={`${fileUrl(source.document_id)}#page=${page}`} target="_blank" rel="noreferrer">
        {m.viewer.download}
      </a>
    </div>
  );
}

function Places({ place, places, onMove }: PlacesProps) {
  const m = useMessages();
  return (
    <span className="places">
      <button
        type="button"
        className="quiet"
        onClick={() => onMove(-1)}
        aria-label={m.viewer.previous}
        title={`${m.viewer.previous} (p)`}
      >
        ↑
      </button>
      <span aria-live="polite">{m.viewer.place(place, places)}</span>
      <button
        type="button"
        className="quiet"
        onClick={() => onMove(1)}
        aria-label={m.viewer.next}
        title={`${m.viewer.next} (n)`}
      >
        ↓
      </button>
    </span>
  );
}
