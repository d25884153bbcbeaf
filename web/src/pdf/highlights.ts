// Which places of a document are marked for a source, in reading order. Knows nothing of pixels.
import type { PageRects, Rect, Source, Span } from "../api/types";

export interface Highlight {
  key: string;
  kind: "quote" | "passage";
  rank: number;
  page: number;
  rects: PageRects[]; // empty: the place is not exact, only the page is known
}

export const spanKey = (span: Span): string => `${span.start}-${span.end}`;

/** The words the answer copied from this source's document; the passage itself when it copied none from this source. */
export function highlightsOf(source: Source, spans: readonly Span[]): Highlight[] {
  const quotes = spans
    .filter((span) => span.document_id === source.document_id)
    .map(
      (span): Highlight => ({ key: spanKey(span), kind: "quote", rank: span.rank, page: span.page, rects: span.rects }),
    );
  const own = quotes.filter((quote) => quote.rank === source.rank);
  if (own.length > 0) return [...own, ...quotes.filter((quote) => quote.rank !== source.rank)].sort(inReadingOrder);
  const passage: Highlight = {
    key: "passage",
    kind: "passage",
    rank: source.rank,
    page: source.page,
    rects: source.rects,
  };
  return [passage];
}

/** Index of the highlight with this key; without one, of the first that belongs to the source itself. */
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
export function onPage(highlights: readonly Highlight[], page: number): { index: number; rects: Rect[] }[] {
  return highlights.flatMap((highlight, index) => {
    const rects = highlight.rects.filter((one) => one.page === page).flatMap((one) => one.rects);
    return rects.length > 0 ? [{ index, rects }] : [];
  });
}

/** Top of the highlight on its first page, in points; 0 when only the page is known. */
export function topOf(highlight: Highlight): number {
  const rects = highlight.rects.find((one) => one.page === highlight.page)?.rects ?? [];
  return rects.length > 0 ? Math.min(...rects.map((rect) => rect.y0)) : 0;
}

function inReadingOrder(a: Highlight, b: Highlight): number {
  return a.page - b.page || topOf(a) - topOf(b);
}
