// The right pane: one source's document, opened at the place.
import { useState } from "react";
import type { Source } from "../../api/types";
import { useMessages } from "../../i18n";
import type { Highlight } from "../../pdf/highlights";
import { type OpenDocument, useDocument } from "../../pdf/useDocument";
import { Viewer } from "../../pdf/Viewer";
import { fileUrl } from "../../queries/documents";
import { Cautions } from "../shared/Cautions";
import { Facts } from "../shared/Facts";

interface Props {
  source: Source;
  highlights: readonly Highlight[];
  current: number;
  onMove(step: 1 | -1): void;
  onClose(): void;
}

const ZOOMS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3];

export function SourcePane({ source, highlights, current, onMove, onClose }: Props) {
  const m = useMessages();
  const document = useDocument(source.document_id);
  const [zoom, setZoom] = useState(1);
  const [page, setPage] = useState(source.page);
  const step = (by: number): void => setZoom(ZOOMS[ZOOMS.indexOf(zoom) + by] ?? zoom);
  const place = highlights[current];
  return (
    <aside className="source" aria-label={m.app.source}>
      <header className="source-head">
        <div className="source-title">
          <span className={`rank rank-${source.rank}`}>{source.rank}</span>
          <h2 title={source.document}>{source.title}</h2>
          <button
            type="button"
            className="quiet icon"
            onClick={onClose}
            aria-label={m.viewer.close}
            title={`${m.viewer.close} (Esc)`}
          >
            ×
          </button>
        </div>
        <Facts source={source} />
        <div className="source-tools">
          {highlights.length > 1 && (
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
              <span aria-live="polite">{m.viewer.place(current + 1, highlights.length)}</span>
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
          )}
          {document.kind === "open" && <span className="muted">{m.viewer.page(page, document.pages.length)}</span>}
          <span className="spacer" />
          <button
            type="button"
            className="quiet icon"
            onClick={() => step(-1)}
            disabled={zoom === ZOOMS[0]}
            aria-label={m.viewer.zoomOut}
            title={m.viewer.zoomOut}
          >
            −
          </button>
          <button type="button" className="quiet" onClick={() => setZoom(1)} title={m.viewer.fit}>
            {Math.round(zoom * 100)}%
          </button>
          <button
            type="button"
            className="quiet icon"
            onClick={() => step(1)}
            disabled={zoom === ZOOMS.at(-1)}
            aria-label={m.viewer.zoomIn}
            title={m.viewer.zoomIn}
          >
            +
          </button>
          <a className="quiet" href={`${fileUrl(source.document_id)}#page=${page}`} target="_blank" rel="noreferrer">
            {m.viewer.download}
          </a>
        </div>
      </header>
      <Cautions source={source} />
      <StatusLine document={document} place={place} />
      {document.kind === "open" ? (
        <Viewer key={source.document_id} {...{ document, highlights, current, zoom }} onPage={setPage} />
      ) : (
        <Instead document={document} source={source} />
      )}
    </aside>
  );
}

/** One line above the pages for what the reader must know of this document or place. */
function StatusLine({ document, place }: { document: OpenDocument; place: Highlight | undefined }) {
  const m = useMessages();
  const lines: string[] = [];
  if (document.kind === "open" && document.detail.status === "replaced") lines.push(m.viewer.replaced);
  if (document.kind === "open" && document.detail.status === "retired") lines.push(m.viewer.retired);
  if (place && place.rects.length === 0) lines.push(m.viewer.onPage(place.page));
  if (lines.length === 0) return null;
  return <p className="source-status">{lines.join(" ")}</p>;
}

/** What stands in the pane while there is no page to show. */
function Instead({ document, source }: { document: OpenDocument; source: Source }) {
  const m = useMessages();
  if (document.kind === "loading") return <p className="source-instead muted">{m.viewer.loading}</p>;
  return (
    <div className="source-instead">
      <p>{document.kind === "gone" ? m.viewer.gone : m.viewer.failed}</p>
      <blockquote>{source.text}</blockquote>
    </div>
  );
}
