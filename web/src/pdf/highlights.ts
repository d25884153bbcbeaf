// Which places of a document are marked for a source, in reading order. Knows nothing of pixels.
import type { PageRects, Rect, Source, Span } from "../api/types";
import { belowHeading, partsOf } from "../text/answer/parts";

export interface Highlight {
  key: string;
  kind: "quote" | "passage" | "nearest"; // nearest: looked at, in a document that does not answer
  rank: number;
  page: number;
  quotes: readonly string[]; // the words; none when only the page is meant
  rects: PageRects[]; // empty: the place is not exact, only the page is known
  said?: PageRects[]; // those of them that are no heading's, where there are such
  pointed?: PageRects[]; // the row for which a table is quoted
}

export const spanKey = (span: Span): string => `${span.start}-${span.end}`;

/**
 * The places that the answer copied from this source's document, in the answer's order, a table or
 * list being one; the passage itself when it used none of this source. `refused`: the document does
 * not answer.
 */
export function highlightsOf(source: Source, spans: readonly Span[], refused = false): Highlight[] {
  const { rank, page, rects } = source;
  const looked = { rank, page, quotes: [source.text], rects };
  if (refused) return [{ key: "nearest", kind: "nearest", ...looked }];
  if (!spans.some((span) => span.document_id === source.document_id && span.rank === rank))
    return [{ key: "passage", kind: "passage", ...looked }];
  return partsOf(spans.filter((span) => span.document_id === source.document_id)).flatMap(placeOf);
}

/** One place for all spans of a part; not exact when one of them is not. */
function placeOf(part: readonly Span[]): Highlight[] {
  const [first] = part;
  if (!first) return [];
  const rects = part.every((span) => span.rects.length > 0) ? part.flatMap((span) => span.rects) : [];
  const asked = belowHeading(part, first);
  const page = asked.rects[0]?.page ?? rects[0]?.page ?? asked.page;
  const said = rects.length > 0 ? part.flatMap((span) => (span.kind === "heading" ? [] : span.rects)) : [];
  const quotes = part.map(({ text }) => text);
  const row = part.filter(({ pieces }) => pieces.some(({ pointed }) => pointed)).flatMap((span) => span.rects);
  const beside = { ...(said.length > 0 && { said }), ...(row.length > 0 && { pointed: row }) };
  return [{ key: spanKey(first), kind: "quote", rank: first.rank, page, quotes, rects, ...beside }];
}

/**
 * Index of the highlight with this key; without one, of the first that belongs to the source
 * itself.
 */
export function indexOf(highlights: readonly Highlight[], key: string | null, rank: number): number {
  const wanted = highlights.findIndex((highlight) => highlight.key === key);
  return wanted >= 0
    ? wanted
    : Math.max(
        0,
        highlights.findIndex((highlight) => highlight.rank === rank),
      );
}

/** The highlights' parts that stand on one page, each with its highlight's index. */
export function onPage(highlights: readonly Highlight[], page: number): OnPage[] {
  return highlights.flatMap((highlight, index) => {
    const rects = highlight.rects.filter((one) => one.page === page).flatMap((one) => one.rects);
    const pointed = (highlight.pointed ?? []).filter((one) => one.page === page).flatMap((one) => one.rects);
    return rects.length > 0 ? [{ index, rects, pointed }] : [];
  });
}

interface OnPage {
  index: number;
  rects: Rect[];
  pointed: Rect[]; // those of them that are the row's for which a table is quoted
}

const ABOVE = 1 / 3; // what is seen above a place (scrollTarget), as a share of what is seen from it on

const onFirstPage = ({ page, rects }: Highlight, of = rects): Rect[] =>
  of.filter((one) => one.page === page).flatMap((one) => one.rects);

/**
 * How far down its first page it stands, in points: where `height` points show most of what is
 * said, the highest such place that is not in sight of one above it; a title far above its
 * sentence is left out, however large. 0 when only the page is known.
 */
export function topOf(highlight: Highlight, height = Number.POSITIVE_INFINITY): number {
  const rects = onFirstPage(highlight);
  const shown = (top: number): number =>
    onFirstPage(highlight, highlight.said)
      .filter(({ y0, y1 }) => y0 >= top && y1 <= top + height)
      .reduce((sum, { x0, x1, y0, y1 }) => sum + (x1 - x0) * (y1 - y0), 0);
  const tops = rects
    .filter(({ y0 }) => !rects.some((other) => other.y0 < y0 && other.y1 > y0 - height * ABOVE))
    .map(({ y0 }) => y0)
    .sort((a, b) => a - b);
  return tops.reduce((best, top) => (shown(top) > shown(best) ? top : best), tops[0] ?? 0);
}

/** How high most of its lines on its first page are, in points; 0 when only the page is known. */
export function lineOf(highlight: Highlight): number {
  const heights = onFirstPage(highlight).map(({ y0, y1 }) => y1 - y0);
  return heights.sort((a, b) => a - b)[heights.length >> 1] ?? 0;
}

/** Left and right of all that is marked on a page, in points; null when nothing is. */
export function sidesOf(highlights: readonly Highlight[], page: number): [number, number] | null {
  const rects = onPage(highlights, page).flatMap((one) => one.rects);
  if (rects.length === 0) return null;
  return [Math.min(...rects.map((rect) => rect.x0)), Math.max(...rects.map((rect) => rect.x1))];
}
