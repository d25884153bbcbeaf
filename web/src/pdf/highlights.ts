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

/** The words the answer copied from this source's document, in the answer's order; the passage itself when it used none of this source. */
export function highlightsOf(source: Source, spans: readonly Span[]): Highlight[] {
  const passage: Highlight = {
    key: "passage",
    kind: "passage",
    rank: source.rank,
    page: source.page,
    rects: source.rects,
  };
  if (!spans.some((span) => span.document_id === source.document_id && span.rank === source.rank)) return [passage];
  return spans
    .filter((span) => span.document_id === source.document_id)
    .sort((a, b) => a.start - b.start)
    .map((span) => ({ key: spanKey(span), kind: "quote", rank: span.rank, page: span.page, rects: span.rects }));
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
