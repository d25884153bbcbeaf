// Cuts an answer into what was copied and what was written. Knows offsets, not how they look.
import type { Source, Span, Unsupported } from "../../api/types";
import { utf16Offsets } from "./codepoints";

/**
 * A piece of an answer. `span` when it was copied from a source; `unsupported` when it is a number
 * that no source holds.
 */
export interface Segment {
  text: string;
  span?: Span;
  unsupported?: boolean;
}

/**
 * The answer in order. A span whose text is not equal to the answer at its place is not marked:
 * marking is a promise. `unsupported`: what the service found when the answer was complete; without
 * it, numbers are looked for in the sources here.
 */
export function segments(
  answer: string,
  spans: readonly Span[],
  sources: readonly Source[],
  unsupported: readonly Unsupported[] | null = null,
): Segment[] {
  const unit = utf16Offsets(answer);
  const known = numbers(sources.map((source) => source.text).join("\n"));
  const marks = unsupported?.map(({ start, end }): Place => [unit(start), unit(end)]) ?? unknownNumbers(answer, known);
  const result: Segment[] = [];
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const [start, end] = [unit(span.start), unit(span.end)];
    if (start < at || answer.slice(start, end) !== span.text) continue;
    result.push(...written(answer, at, start, marks));
    result.push({ text: span.text, span });
    at = end;
  }
  result.push(...written(answer, at, answer.length, marks));
  return result;
}

const NUMBER = /\d+(?:[.,]\d+)*/g;

type Place = [start: number, end: number];

function unknownNumbers(text: string, known: ReadonlySet<string>): Place[] {
  const unknown = Array.from(text.matchAll(NUMBER)).filter((match) => !known.has(canonical(match[0])));
  return unknown.map((match) => [match.index, match.index + match[0].length]);
}

/**
 * text[from, until) with the marked places told apart; a mark that reaches into copied words is
 * shown as far as it is written.
 */
function written(text: string, from: number, until: number, marks: readonly Place[]): Segment[] {
  const result: Segment[] = [];
  let at = from;
  for (const [start, end] of marks) {
    const [first, last] = [Math.max(start, at), Math.min(end, until)];
    if (first >= last) continue;
    if (first > at) result.push({ text: text.slice(at, first) });
    result.push({ text: text.slice(first, last), unsupported: true });
    at = last;
  }
  if (at < until) result.push({ text: text.slice(at, until) });
  return result;
}

function numbers(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(NUMBER), (match) => canonical(match[0])));
}

/** "0,5" and "0.5" are the same number to a reader. */
function canonical(number: string): string {
  return number.replaceAll(",", ".");
}
