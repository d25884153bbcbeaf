// The right pane: one source's document, opened at the place.
import { type RefObject, useEffect, useRef, useState } from "react";
import type { Source } from "../../api/types";
import { useMessages } from "../../i18n";
import { zoomTo } from "../../pdf/geometry";
import { type Highlight, sidesOf } from "../../pdf/highlights";
import { type OpenDocument, useDocument } from "../../pdf/useDocument";
import { usePerson } from "../../queries/session";
import { noteOpened } from "../../state/kept";
import { usePhone } from "../../state/window/useNarrow";
import { Cautions } from "../shared/document/Cautions";
import { Facts } from "../shared/document/Facts";
import { LARGEST, Tools } from "./Tools";

interface Props {
  source: Source;
  highlights: readonly Highlight[];
  current: number;
  over: boolean; // it lies over the conversation, which cannot be reached meanwhile
  onMove(step: 1 | -1): void;
  onClose(): void;
}

const OVER = { role: "dialog", "aria-modal": true } as const;
const BESIDE = { role: "complementary" } as const;

export function SourcePane({ source, highlights, current, over, onMove, onClose }: Props) {
  const m = useMessages();
  const pane = useRef<HTMLElement>(null);
  useFocusWithin(pane, over);
  const document = useDocument(source.document_id);
  const [chosen, setZoom] = useState<number | null>(null); // by the reader
  const [page, setPage] = useState(source.page);
  const person = usePerson();
  const opened = document.kind === "open" ? document.detail.id : null;
  useEffect(() => {
    if (opened) noteOpened(person, opened);
  }, [person, opened]);
  const place = highlights[current];
  const phone = usePhone();
  const zoom = chosen ?? (phone ? zoomOf(document, place) : 1);
  return (
    <>
      {over && <button type="button" className="behind" tabIndex={-1} aria-hidden="true" onClick={onClose} />}
      <section className="source" ref={pane} tabIndex={-1} {...(over ? OVER : BESIDE)} aria-label={m.app.source}>
        <header className="source-head">
          <div className="source-title">
            <span className={`rank rank-${source.rank}`}>{source.rank}</span>
            <h2 title={source.document} lang={source.language || undefined}>
              {source.title}
            </h2>
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
          <Tools
            {...{ source, document, page, zoom, onMove }}
            words={place?.text ?? ""}
            wordsAt={place?.page ?? page}
            place={current + 1}
            places={highlights.length}
            onZoom={setZoom}
          />
        </header>
        <Cautions cautions={source.cautions} />
        <StatusLine {...{ document, source, place }} />
        {document.kind === "open" ? (
          <document.Viewer key={source.document_id} {...{ document, highlights, current, zoom }} onPage={setPage} />
        ) : (
          <Instead document={document} source={source} />
        )}
      </section>
    </>
  );
}

/** Where a whole page's words would be too small to read: so large that the marked ones fill the pane. */
function zoomOf(document: OpenDocument, place: Highlight | undefined): number {
  const sides = place && sidesOf(place);
  const size = document.kind === "open" && place ? document.pages[place.page - 1] : undefined;
  return sides && size ? zoomTo(size.width, ...sides, LARGEST) : 1;
}

/** What lies over the rest takes the focus, and gives it back to where it came from. */
function useFocusWithin(pane: RefObject<HTMLElement | null>, over: boolean): void {
  useEffect(() => {
    if (!over) return;
    const before = document.activeElement;
    pane.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [pane, over]);
}

interface StatusProps {
  document: OpenDocument;
  source: Source;
  place: Highlight | undefined;
}

/** One line above the pages for what the reader must know of this document or place. */
function StatusLine({ document, source, place }: StatusProps) {
  const m = useMessages();
  const lines: string[] = [];
  if (source.text_from === "ocr") lines.push(m.viewer.scan);
  if (source.uncertain) lines.push(m.viewer.uncertain);
  if (document.kind === "open" && document.detail.status === "replaced") lines.push(m.viewer.replaced);
  if (document.kind === "open" && document.detail.status === "retired") lines.push(m.viewer.retired);
  if (place?.kind === "nearest") lines.push(m.viewer.nearest);
  else if (place?.text && place.rects.length === 0) lines.push(m.viewer.onPage(place.page));
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
      <blockquote lang={source.language || undefined}>{source.text}</blockquote>
    </div>
  );
}
