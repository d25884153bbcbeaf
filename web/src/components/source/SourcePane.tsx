// The right pane: one source's document, opened at the place.
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Source } from "../../api/types";
import { useWardMessages } from "../../i18n";
import { type Found, NOTHING } from "../../pdf/find";
import { zoomTo, zoomToRead, zoomWithin } from "../../pdf/geometry";
import { type Highlight, lineOf, sidesOf } from "../../pdf/highlights";
import { type OpenDocument, useDocument } from "../../pdf/useDocument";
import { useWordSize } from "../../pdf/useWordSize";
import { Viewer, type Wanted } from "../../pdf/Viewer";
import { usePerson } from "../../queries/session";
import { noteOpened } from "../../state/kept";
import { usePhone } from "../../state/window/useNarrow";
import { AskOwner } from "../owners/lazily";
import { Optional } from "../shared/controls/Optional";
import { Cautions } from "../shared/document/Cautions";
import { Facts } from "../shared/document/Facts";
import { Find } from "./Find";
import { Splitter } from "./Splitter";
import { Thumbnails } from "./Thumbnails";
import { LARGEST, Tools } from "./Tools";
import "../../styles/answer/pdf-viewer.css";
import "../../styles/answer/pdf-phone.css";

interface Props {
  source: Source;
  highlights: readonly Highlight[];
  current: number;
  wish?: { chosen: boolean }; // another one each time that the current place is asked for
  over: boolean; // it lies over the conversation, which cannot be reached meanwhile
  onMove(step: 1 | -1): void;
  onClose(): void;
  before?: Element | null; // what had the focus when it was opened
  alone?: boolean; // nothing stands beside it
}

const LOOKS = ["wheel", "pointerdown", "keydown"]; // of who looks into what the page opened by itself
const LARGE = 1.5; // times normal: so large are words for which the tools have no room
const OVER = { role: "dialog", "aria-modal": true } as const;
const BESIDE = { role: "complementary" } as const;

export function SourcePane({
  source,
  highlights,
  current,
  wish,
  over,
  onMove,
  onClose,
  before = null,
  alone = false,
}: Props) {
  const m = useWardMessages();
  const pane = useRef<HTMLElement>(null);
  useFocusBack(over, wish, before);
  useFocusWithin(pane, over);
  const byItself = wish?.chosen === false;
  const document = useDocument(source.document_id, byItself);
  const [chosen, setZoom] = useState<number | null>(null); // by the reader
  const [page, setPage] = useState(source.page);
  const [finding, setFinding] = useState(false);
  const [found, setFound] = useState<Found>(NOTHING);
  const [thumbnails, setThumbnails] = useState(false);
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const find = useRef<HTMLButtonElement>(null);
  const open = document.kind === "open" ? document : null;
  const endFinding = useCallback(() => {
    setFinding(false);
    const folded = find.current?.closest("details:not([open])");
    (folded?.querySelector("summary") ?? find.current)?.focus();
  }, []);
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "f" || !(event.ctrlKey || event.metaKey) || !open) return;
    event.preventDefault(); // the browser's own finds only the pages that are drawn
    setFinding(true);
    pane.current?.querySelector<HTMLInputElement>(".find input")?.select();
  };
  const person = usePerson();
  const opened = document.kind === "open" ? document.detail.id : null;
  useEffect(() => {
    if (!opened) return;
    const note = (): void => noteOpened(person, opened);
    if (!byItself) return note();
    const pages = pane.current?.querySelector(".source-body");
    for (const deed of LOOKS) pages?.addEventListener(deed, note, { once: true });
    return () => {
      for (const deed of LOOKS) pages?.removeEventListener(deed, note);
    };
  }, [person, opened, byItself]);
  const place = highlights[current];
  const phone = usePhone();
  const size = useWordSize();
  const folded = phone || size > LARGE;
  const [room, setRoom] = useState(innerWidth); // until the pane's own width is known
  const zoom = chosen ?? zoomOf(document, place, highlights, size, phone ? room : null);
  return (
    <>
      {over && <button type="button" className="behind" tabIndex={-1} aria-hidden="true" onClick={onClose} />}
      <section
        className="source"
        ref={pane}
        tabIndex={-1}
        {...(over ? OVER : BESIDE)}
        aria-label={m.app.source}
        onKeyDown={keyDown}
      >
        {!over && !alone && <Splitter />}
        <header className="source-head">
          <div className="source-title">
            <span className={`rank rank-${source.rank}`}>{source.rank}</span>
            <div className="source-names">
              <h2 title={source.document} lang={source.language || undefined}>
                {source.title}
              </h2>
              <Facts source={source} />
            </div>
            <button
              type="button"
              className="quiet icon"
              onClick={onClose}
              aria-label={m.pane.close}
              title={`${m.pane.close} (Esc)`}
            >
              ×
            </button>
          </div>
          {alone && !folded && (
            <Optional fallback={null}>
              <AskOwner about={{ ...source, page }} kind="question" quotes={place?.quotes ?? []} />
            </Optional>
          )}
          <Tools
            {...{ source, document, page, zoom, onMove }}
            quotes={place?.quotes ?? []}
            wordsAt={place?.page ?? page}
            place={current + 1}
            places={highlights.length}
            onZoom={setZoom}
            {...{ finding, find, thumbnails, alone, folded }}
            onFind={() => setFinding(!finding)}
            onThumbnails={() => setThumbnails(!thumbnails)}
          />
        </header>
        <Cautions cautions={source.cautions} />
        <StatusLine {...{ document, source, place }} />
        {finding && open && (
          <Find key={source.document_id} pdf={open.pdf} {...{ page, found }} onFound={setFound} onClose={endFinding} />
        )}
        {open ? (
          <div className="source-body">
            {thumbnails && (
              <Thumbnails
                pdf={open.pdf}
                pages={open.pages}
                page={page}
                onGo={(chosen) => setWanted({ page: chosen })}
              />
            )}
            <Viewer
              key={source.document_id}
              {...{ document: open, highlights, current, wish, zoom, found, wanted }}
              onPage={setPage}
              onWidth={setRoom}
            />
          </div>
        ) : (
          <Instead document={document} source={source} />
        )}
      </section>
    </>
  );
}

/**
 * `size`: the reader's, times normal; `room`: the pane's width on a phone, where a whole page's
 * words would be too small to read. There all lines that are marked on it fill the pane, to its
 * very edges where they still are too small. No marked line is cut off.
 */
function zoomOf(
  document: OpenDocument,
  place: Highlight | undefined,
  highlights: readonly Highlight[],
  size: number,
  room: number | null,
): number {
  const sides = place && sidesOf(highlights, place.page);
  const page = document.kind === "open" && place ? document.pages[place.page - 1] : undefined;
  if (!place || !sides || !page) return room === null ? size : 1;
  const whole = zoomTo(page.width, ...sides, LARGEST);
  if (room === null) return Math.min(size, whole);
  const legible = zoomToRead(page.width, lineOf(place) / size, room, LARGEST);
  return Math.max(whole, Math.min(legible, zoomWithin(page.width, ...sides, room)));
}

/** What lies over the rest takes the focus. */
function useFocusWithin(pane: RefObject<HTMLElement | null>, over: boolean): void {
  useEffect(() => {
    if (over) pane.current?.focus();
  }, [pane, over]);
}

/**
 * Gives the focus, where it goes with the pane, back to what opened it. Where that is gone, or
 * nothing was pressed, to the card, or to the last answer.
 */
function useFocusBack(over: boolean, wish: unknown, before: Element | null): void {
  const opener = useRef(pressedOf(before));
  const asked = useRef<unknown>(undefined);
  const to = useRef<Element | null>(null);
  if (asked.current !== wish) {
    asked.current = wish;
    const pressed = pressedOf(document.activeElement);
    if (pressed) opener.current = pressed;
  }
  useLayoutEffect(
    () => () => {
      if (!over && !document.activeElement?.closest(".source")) return;
      const turns = document.querySelector(".turns");
      const places = [opener.current, turns?.querySelector(".card-place.open button"), turns?.querySelector(LAST)];
      to.current = places.find((one) => one?.isConnected) ?? null;
    },
    [over],
  );
  useEffect(
    () => () => {
      if (!(to.current instanceof HTMLElement)) return;
      if (to.current.matches(LAST)) to.current.tabIndex = -1; // words take no focus by themselves
      to.current.focus();
    },
    [],
  );
}

const pressedOf = (one: Element | null): Element | null => one?.closest(".turns :any-link, .turns button") ?? null;

const LAST = ".stretch:last-of-type > .turn:last-of-type";

interface StatusProps {
  document: OpenDocument;
  source: Source;
  place: Highlight | undefined;
}

/** One line above the pages for what the reader must know of this document or place. */
function StatusLine({ document, source, place }: StatusProps) {
  const m = useWardMessages();
  const lines: string[] = [];
  if (source.text_from === "ocr") lines.push(m.pane.scan);
  if (source.uncertain) lines.push(m.pane.uncertain);
  if (document.kind === "open" && document.detail.status === "replaced") lines.push(m.answer.replaced);
  if (document.kind === "open" && document.detail.status === "retired") lines.push(m.answer.retired);
  if (place?.kind === "nearest") lines.push(m.pane.nearest(place.rects.length > 0));
  if (place?.quotes.length && place.rects.length === 0) lines.push(m.pane.onPage(place.page));
  if (lines.length === 0) return null;
  return <p className="source-status">{lines.join(" ")}</p>;
}

/** What stands in the pane while there is no page to show. */
function Instead({ document, source }: { document: OpenDocument; source: Source }) {
  const m = useWardMessages();
  if (document.kind === "loading") return <p className="source-instead muted">{m.viewer.loading}</p>;
  return (
    <div className="source-instead">
      <p>{document.kind === "gone" ? m.pane.gone : m.viewer.failed}</p>
      <blockquote lang={source.language || undefined}>{source.text}</blockquote>
    </div>
  );
}
