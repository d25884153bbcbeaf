// The column of pages. Draws only those near the window, and scrolls to the wanted place when that
// changes.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { DocumentDetail } from "../api/types";
import type { Found } from "./find";
import {
  currentPage,
  keptScroll,
  type Layout,
  PAGE_GAP,
  pageScales,
  pageTops,
  type Size,
  scaled,
  scrollLeftTarget,
  scrollTarget,
  visiblePages,
} from "./geometry";
import { type Highlight, sidesOf, topOf } from "./highlights";
import { Page } from "./Page";

export interface Shown {
  pdf: PDFDocumentProxy;
  pages: Size[];
  detail: DocumentDetail;
}

/** A page that is to be shown; the same one again is another wish. */
export interface Wanted {
  page: number;
}

type PaneRef = React.RefObject<HTMLElement | null>;

interface Props {
  document: Shown;
  highlights: readonly Highlight[];
  current: number;
  zoom: number; // 1: the widest page fills the pane
  found: Found;
  wanted: Wanted | null; // the page that the reader chose
  wish?: unknown; // another one each time that its reader asks for the current place
  onPage(number: number): void;
  onWidth(pixels: number): void; // of the pane
}

export function Viewer({ document, highlights, current, zoom, found, wanted, wish, onPage, onWidth }: Props) {
  const { pdf, pages } = document;
  const pane = useRef<HTMLElement>(null);
  const { width, height, scrollTop, onScroll } = useWindow(pane);
  const { scales, tops, column } = useMemo(() => layout(pages, width, zoom), [pages, width, zoom]);

  const lies = useMemo(() => ({ tops, scales, height }), [tops, scales, height]);
  const note = useKeptPlace(pane, lies, highlights, current);
  useScrollTo(pane, lies, highlights, current, wish);
  useScrollToPage(pane, wanted, tops);
  const match = useMemo(
    () => (found.page > 0 ? { page: found.page, index: found.index } : null),
    [found.page, found.index],
  );
  useScrollToPage(pane, match, tops, true);
  useLayoutEffect(note);
  const shown = currentPage(tops, scrollTop, height) + 1;
  useEffect(() => onPage(shown), [onPage, shown]);
  useEffect(() => {
    if (width > 0) onWidth(width);
  }, [onWidth, width]);

  const [first, last] = visiblePages(tops, scrollTop, height);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section className="pages" ref={pane} onScroll={onScroll} tabIndex={0} aria-label={document.detail.title}>
      <div
        className="pages-column"
        style={{ height: tops.at(-1), width: column }}
        lang={document.detail.language || undefined}
      >
        {width > 0 &&
          pages.slice(first, last + 1).map((size, offset) => {
            const index = first + offset;
            const [scale, top] = [scales[index] ?? 1, tops[index] ?? 0];
            return <Page key={index} {...{ pdf, size, scale, top, highlights, current, found }} number={index + 1} />;
          })}
      </div>
    </section>
  );
}

/** How large every page is drawn, where, and how wide the column of them is. */
function layout(pages: readonly Size[], paneWidth: number, zoom: number) {
  const scales = pageScales(pages, paneWidth, zoom);
  const sizes = pages.map((page, index) => scaled(page, scales[index] ?? 1));
  return { scales, tops: pageTops(sizes), column: Math.max(...sizes.map((size) => size.width)) };
}

/** Size and position of the scrolled window, at most once a frame. */
function useWindow(pane: PaneRef) {
  const [state, setState] = useState({ width: 0, height: 0, scrollTop: 0 });
  const measure = useCallback(() => {
    const element = pane.current;
    if (!element) return;
    const { clientWidth: width, clientHeight: height, scrollTop } = element;
    setState((old) =>
      old.width === width && old.height === height && old.scrollTop === scrollTop ? old : { width, height, scrollTop },
    );
  }, [pane]);
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (pane.current) observer.observe(pane.current);
    return () => observer.disconnect();
  }, [pane, measure]);
  return { ...state, onScroll: measure };
}

/**
 * Keeps the marked words in the window where they were in sight, else those on top, when the pages
 * or the window become larger or smaller. Returns what notes how far was scrolled, after all that
 * scrolls.
 */
function useKeptPlace(pane: PaneRef, lies: Layout, highlights: readonly Highlight[], current: number): () => void {
  const before = useRef({ lies, scrollTop: 0 });
  useLayoutEffect(() => {
    const { lies: old, scrollTop } = before.current;
    if (!pane.current || old === lies || old.height === 0) return;
    const mark = highlights[current];
    const kept = keptScroll(old, scrollTop, lies, mark ? { page: mark.page, y: placeDown(mark, old) } : null);
    pane.current.scrollTop = kept.scrollTop;
    if (mark && kept.seen) showSides(pane.current, mark, highlights, lies);
  }, [pane, lies, highlights, current]);
  return () => {
    before.current = { lies, scrollTop: pane.current?.scrollTop ?? 0 };
  };
}

/** How far down its page a place is to stand in view, in points. */
const placeDown = (mark: Highlight, { scales, height }: Layout): number =>
  topOf(mark, (height * 3) / 4 / (scales[mark.page - 1] ?? 1));

/** Sideways: all that is marked on the page, where it has room, else the mark. */
function showSides(pane: HTMLElement, mark: Highlight, highlights: readonly Highlight[], { scales }: Layout): void {
  const scale = scales[mark.page - 1] ?? 1;
  const all = sidesOf(highlights, mark.page);
  const sides = all && (all[1] - all[0]) * scale <= pane.clientWidth ? all : sidesOf([mark], mark.page);
  if (sides) pane.scrollLeft = scrollLeftTarget(...sides, scale, pane.clientWidth);
}

/**
 * Scrolls when a place is asked for, or it grows so that its words stand elsewhere, and only then:
 * the reader's own scrolling is left alone.
 */
function useScrollTo(
  pane: PaneRef,
  lies: Layout,
  highlights: readonly Highlight[],
  current: number,
  wish: unknown,
): void {
  const done = useRef({ wish, place: "", at: "" });
  useLayoutEffect(() => {
    const wanted = highlights[current];
    if (!pane.current || !wanted || lies.height === 0) return;
    const { key, page, rects } = wanted;
    const { current: before } = done;
    const place = `${key} ${page} ${JSON.stringify(rects)}`;
    if (before.place === place && before.wish === wish) return;
    const { tops, scales, height } = lies;
    const down = placeDown(wanted, lies);
    const at = `${key} ${page} ${down}`;
    done.current = { wish, place, at };
    if (before.at === at && before.wish === wish) return;
    pane.current.scrollTop = scrollTarget(tops[page - 1] ?? 0, down, scales[page - 1] ?? 1, height);
    showSides(pane.current, wanted, highlights, lies);
  }, [pane, lies, highlights, current, wish]);
}

/**
 * Scrolls to the top of a page each time that one is wanted; `unseen`: only when it is not drawn.
 */
function useScrollToPage(pane: PaneRef, wanted: Wanted | null, tops: readonly number[], unseen = false): void {
  const done = useRef<Wanted | null>(null);
  useLayoutEffect(() => {
    if (!pane.current || !wanted || done.current === wanted) return;
    done.current = wanted;
    const { scrollTop, clientHeight } = pane.current;
    const [first, last] = visiblePages(tops, scrollTop, clientHeight);
    if (unseen && first < wanted.page && wanted.page <= last + 1) return;
    pane.current.scrollTop = Math.max(0, (tops[wanted.page - 1] ?? 0) - PAGE_GAP);
  }, [pane, wanted, tops, unseen]);
}
