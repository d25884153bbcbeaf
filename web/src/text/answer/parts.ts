// Spans that are read together: a list with its introduction, a table's header with its rows. Each
// is one place in the document.
import type { Span } from "../../api/types";

const STRUCTURED: ReadonlySet<Span["kind"]> = new Set(["list", "row", "heading", "note"] as const);

/**
 * The spans in the answer's order, those of one part together; sentences that stand by themselves
 * are each a part.
 */
export function partsOf(spans: readonly Span[]): Span[][] {
  const built = new Set(spans.filter(({ kind }) => STRUCTURED.has(kind)).map(({ part }) => part));
  const parts: Span[][] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = parts.at(-1);
    if (last?.[0] && built.has(span.part) && belongs(last[0], span)) last.push(span);
    else parts.push([span]);
  }
  return parts;
}

const belongs = (first: Span, span: Span): boolean =>
  first.part === span.part && first.document_id === span.document_id && first.rank === span.rank;

/** The first span of a part that is no heading: a heading may stand pages before what it heads. */
export const belowHeading = (part: readonly Span[], first: Span): Span =>
  part.find(({ kind }) => kind !== "heading") ?? first;

/** Whether it is shown as a table, a list or a box rather than as running text. */
export const isStructured = (part: readonly Span[]): boolean => part.some(({ kind }) => STRUCTURED.has(kind));
