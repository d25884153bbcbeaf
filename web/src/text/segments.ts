// Cuts an answer into what was copied and what was written. Knows offsets, not how they look.
import type { Source, Span } from "../api/types";
import { utf16Offsets } from "./codepoints";

/** A piece of an answer. `span` when it was copied from a source; `unsupported` when it is a number that no source holds. */
export interface Segment {
  text: string;
  span?: Span;
  unsupported?: boolean;
}

/** The answer in order. A span whose text is not equal to the answer at its place is not marked: marking is a promise. */
export function segments(answer: string, spans: readonly Span[], sources: readonly Source[]): Segment[] {
  const unit = utf16Offsets(answer);
  const known = numbers(sources.map((source) => source.text).join("\n"));
  const result: Segment[] = [];
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const [start, end] = [unit(span.start), unit(span.end)];
    if (start < at || answer.slice(start, end) !== span.text) continue;
    result.push(...written(answer.slice(at, start), known));
    result.push({ text: span.text, span });
    at = end;
  }
  result.push(...written(answer.slice(at), known));
  return result;
}

const NUMBER = /\d+(?:[.,]\d+)*/g;

function written(text: string, known: ReadonlySet<string>): Segment[] {
  const result: Segment[] = [];
  let at = 0;
  for (const match of text.matchAll(NUMBER)) {
    if (known.has(canonical(match[0]))) continue;
    if (match.index > at) result.push({ text: text.slice(at, match.index) });
    result.push({ text: match[0], unsupported: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) result.push({ text: text.slice(at) });
  return result;
}

function numbers(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(NUMBER), (match) => canonical(match[0])));
}

/** "0,5" and "0.5" are the same number to a reader. */
function canonical(number: string): string {
  return number.replaceAll(",", ".");
}
