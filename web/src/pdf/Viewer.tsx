// The column of pages. Draws only those near the window, and scrolls to the wanted place when that
// changes.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { DocumentDetail } from "../api/types";
import type { Found } from "./find";
import {
  currentPage,
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

interface Props {
  document: Shown;
  highlights: readonly Highlight[];
  current: number;
  zoom: number; // 1: the widest page fills the pane
  found: Found;
  wanted: Wanted | null; // the page that the reader chose
  wish?: unknown; // another one each time that its reader asks for the current place
  onPage(number: number): void;
}

export function Viewer({ document, highlights, current, zoom, found, wanted, wish, onPage }: Props) {
  const { pdf, pages } = document;
  const pane = useRef<HTMLElement>(null);
  const { width, height, scrollTop, onScroll } = useWindow(pane);
  const { scales, tops, column } = useMemo(() => layout(pages, width, zoom), [pages, width, zoom]);

  useKeptPlace(pane, tops.at(-1) ?? 0);
  useScrollTo(pane, width > 0 ? highlights[current] : undefined, wish, tops, scales);
  useScrollToPage(pane, wanted, tops);
  const match = useMemo(
    () => (found.page > 0 ? { page: found.page, index: found.index } : null),
    [found.page, found.index],
  );
  useScrollToPage(pane, match, tops, true);
  const shown = currentPage(tops, scrollTop, height) + 1;
  useEffect(() => onPage(shown), [onPage, shown]);

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
function useWindow(pane: React.RefObject<HTMLElement | null>) {
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
 * Keeps the same words in the window when the pages grow or shrink. `length`: of the whole column.
 */
function useKeptPlace(pane: React.RefObject<HTMLElement | null>, length: number): void {
  const before = useRef(length);
  useLayoutEffect(() => {
    if (pane.current && before.current !== length) pane.current.scrollTop *= length / before.current;
    before.current = length;
  }, [pane, length]);
}

/**
 * Scrolls when a place is asked for, or it grows so that its words stand elsewhere, and only then:
 * the reader's own scrolling is left alone.
 */
function useScrollTo(
  pane: React.RefObject<HTMLElement | null>,
  wanted: Highlight | undefined,
  wish: unknown,
  tops: readonly number[],
  scales: readonly number[],
): void {
  const done = useRef({ wish, place: "", at: "" });
  useLayoutEffect(() => {
    if (!pane.current || !wanted) return;
    const { key, page, rects } = wanted;
    const { current: before } = done;
    const place = `${key} ${page} ${JSON.stringify(rects)}`;
    if (before.place === place && before.wish === wish) return;
    const [top, scale] = [tops[page - 1] ?? 0, scales[page - 1] ?? 1];
    const high = pane.current.clientHeight;
    const down = topOf(wanted, (high * 3) / 4 / scale);
    const at = `${key} ${page} ${down}`;
    done.current = { wish, place, at };
    if (before.at === at && before.wish === wish) return;
    pane.current.scrollTop = scrollTarget(top, down, scale, high);
    const sides = sidesOf(wanted);
    if (sides) pane.current.scrollLeft = scrollLeftTarget(...sides, scale, pane.current.clientWidth);
  }, [pane, wanted, wish, tops, scales]);
}

/**
 * Scrolls to the top of a page each time that one is wanted; `unseen`: only when it is not drawn.
 */
function useScrollToPage(
  pane: React.RefObject<HTMLElement | null>,
  wanted: Wanted | null,
  tops: readonly number[],
  unseen = false,
): void {
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
