// The only file that does pixel arithmetic. Points are PDF points on the page as displayed, origin
// top left; pixels are CSS pixels.
import type { Rect } from "../api/types";

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Size {
  left: number;
  top: number;
}

export const PAGE_GAP = 16; // pixels between pages, and above the first
const CANVAS_PIXELS = 16_000_000; // a larger canvas fails on some devices

/**
 * Pixels per point for each page: every page as wide as the pane, a landscape one too, times the
 * reader's zoom.
 */
export function pageScales(pages: readonly Size[], paneWidth: number, zoom: number): number[] {
  const width = Math.max(paneWidth - 2 * PAGE_GAP, 1);
  return pages.map((page) => (zoom * width) / Math.max(page.width, 1));
}

export function scaled(page: Size, scale: number): Size {
  return { width: page.width * scale, height: page.height * scale };
}

export function toPixels(rect: Rect, scale: number): Box {
  return {
    left: rect.x0 * scale,
    top: rect.y0 * scale,
    width: (rect.x1 - rect.x0) * scale,
    height: (rect.y1 - rect.y0) * scale,
  };
}

/** Top of every page in the scrolled column; one more entry for the column's end. All in pixels. */
export function pageTops(sizes: readonly Size[]): number[] {
  const tops = [PAGE_GAP];
  for (const { height } of sizes) tops.push((tops.at(-1) ?? 0) + height + PAGE_GAP);
  return tops;
}

/** Indices [first, last] of the pages that touch the window, and one more on either side. */
export function visiblePages(tops: readonly number[], scrollTop: number, height: number): [number, number] {
  const count = tops.length - 1;
  let first = 0;
  while (first < count - 1 && (tops[first + 1] ?? 0) <= scrollTop) first += 1;
  let last = first;
  while (last < count - 1 && (tops[last + 1] ?? 0) < scrollTop + height) last += 1;
  return [Math.max(0, first - 1), Math.min(count - 1, last + 1)];
}

/**
 * The page that holds the upper third of the window: what a reader would call the current one.
 * Index from 0.
 */
export function currentPage(tops: readonly number[], scrollTop: number, height: number): number {
  const line = scrollTop + height / 3;
  let index = 0;
  while (index < tops.length - 2 && (tops[index + 1] ?? 0) <= line) index += 1;
  return index;
}

/**
 * Where to scroll so that a place `y` points down a page stands a quarter down the window: well
 * within its upper third.
 */
export function scrollTarget(pageTop: number, y: number, scale: number, windowHeight: number): number {
  return Math.max(0, pageTop + y * scale - windowHeight / 4);
}

const AROUND = 12; // points left free beside what is enlarged

/**
 * The zoom at which what lies between these sides of a page is as wide as the pane; never less than
 * the page's own.
 */
export function zoomTo(pageWidth: number, left: number, right: number, most: number): number {
  return Math.max(1, Math.min(most, pageWidth / Math.max(right - left + 2 * AROUND, 1)));
}

const EDGE = 2; // pixels

/**
 * The largest zoom at which what lies between these sides of a page is not cut off by the pane's.
 */
export function zoomWithin(pageWidth: number, left: number, right: number, paneWidth: number): number {
  const [whole = 1] = pageScales([{ width: pageWidth, height: 0 }], paneWidth, 1);
  return (paneWidth - 2 * EDGE) / Math.max((right - left) * whole, 1);
}

const LEGIBLE = 8; // pixels of a line: the answer has its words larger, and a line cut off is no proof

/** The zoom at which lines so high can be read in a pane so wide. */
export function zoomToRead(pageWidth: number, lineHeight: number, paneWidth: number, most: number): number {
  const [whole = 1] = pageScales([{ width: pageWidth, height: 0 }], paneWidth, 1);
  return Math.min(most, LEGIBLE / Math.max(lineHeight * whole, 1));
}

/**
 * Where to scroll sideways so that it stands in the middle; where it is wider than the window, so
 * that it begins there.
 */
export function scrollLeftTarget(left: number, right: number, scale: number, windowWidth: number): number {
  const beside = (windowWidth - (right - left) * scale) / 2;
  return Math.max(0, left * scale - (beside < 0 ? AROUND : beside));
}

/** How the pages lie in a window so high. */
export interface Layout {
  tops: readonly number[];
  scales: readonly number[];
  height: number;
}

/** So many points down a page. */
export interface Point {
  page: number;
  y: number;
}

const topAt = ({ tops, scales }: Layout, { page, y }: Point): number =>
  (tops[page - 1] ?? 0) + y * (scales[page - 1] ?? 1);

/**
 * Where to scroll when the pages or their window become larger or smaller, so that a place that was
 * in sight stands there again; else what stood on top does. `seen`: whether it was in sight.
 */
export function keptScroll(
  before: Layout,
  scrollTop: number,
  now: Layout,
  place: Point | null,
): { seen: boolean; scrollTop: number } {
  const down = place ? topAt(before, place) - scrollTop : -1;
  const seen = place !== null && down >= 0 && down < before.height;
  if (seen) return { seen, scrollTop: Math.max(0, topAt(now, place) - (down / before.height) * now.height) };
  const index = currentPage(before.tops, scrollTop, 0);
  const y = (scrollTop - (before.tops[index] ?? 0)) / (before.scales[index] ?? 1);
  return { seen, scrollTop: Math.max(0, topAt(now, { page: index + 1, y })) };
}

/**
 * Device pixels per CSS pixel for a page's canvas: the screen's, less where the canvas would grow
 * too large.
 */
export function canvasRatio(size: Size, devicePixelRatio: number): number {
  return Math.min(devicePixelRatio, Math.sqrt(CANVAS_PIXELS / (size.width * size.height)));
}

/**
 * True when the server's page and the viewer's are the same size, so that its rectangles can be
 * drawn.
 */
export function sameSize(a: Size, b: Size): boolean {
  return Math.abs(a.width - b.width) < 1 && Math.abs(a.height - b.height) < 1;
}
