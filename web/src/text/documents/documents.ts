// Sources by document: what the reader opens is a document, which may hold several of the passages.
import type { Source, Span } from "../../api/types";

export type Closeness = "quoted" | "near" | "further";

const NEAR = 0.97; // of the best score: fused scores lie close together

/** In the order of their best sources. */
export function byDocument(sources: readonly Source[]): Source[][] {
  const found = new Map<string, Source[]>();
  for (const source of sources) found.set(source.document_id, [...(found.get(source.document_id) ?? []), source]);
  return [...found.values()];
}

/** How near a document's passages are to the question, beside those of the other sources. */
export function closenessOf(own: readonly Source[], all: readonly Source[], spans: readonly Span[]): Closeness {
  if (own.some(({ document_id }) => spans.some((span) => span.document_id === document_id))) return "quoted";
  const best = (sources: readonly Source[]): number => Math.max(...sources.map(({ score }) => score));
  return best(own) >= NEAR * best(all) ? "near" : "further";
}

/**
 * A sentence in pieces: a source where its title stands, the longest title first, since one may
 * stand within another; the words between as they are.
 */
export function named(sentence: string, sources: readonly Source[]): (string | Source)[] {
  const longest = sources.toSorted((one, other) => other.title.length - one.title.length);
  const found = longest.find(({ title }) => title && sentence.includes(title));
  if (!found) return sentence ? [sentence] : [];
  const at = sentence.indexOf(found.title);
  return [...named(sentence.slice(0, at), sources), found, ...named(sentence.slice(at + found.title.length), sources)];
}
