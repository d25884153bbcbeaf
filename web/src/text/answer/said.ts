// A quoted paragraph and, in it, the sentence for which it is quoted.
import type { Span } from "../../api/types";
import { utf16Offsets } from "./codepoints";

export interface Said {
  text: string;
  asked: boolean;
}

/**
 * The words of a quote, in order, cut where what was asked begins and ends; without such a place
 * one piece.
 */
export function saidIn(span: Span): Said[] {
  const unit = utf16Offsets(span.text);
  const cut: Said[] = [];
  let at = 0;
  const asked = span.kind === "sentence" ? span.pieces.filter((piece) => piece.asked) : [];
  for (const piece of [...asked].sort((a, b) => a.start - b.start)) {
    const [start, end] = [unit(piece.start - span.start), unit(piece.end - span.start)];
    if (start < at || end <= start) continue;
    if (start > at) cut.push({ text: span.text.slice(at, start), asked: false });
    cut.push({ text: span.text.slice(start, end), asked: true });
    at = end;
  }
  if (at < span.text.length || cut.length === 0) cut.push({ text: span.text.slice(at), asked: false });
  return cut;
}

/** The same without white space at its end. */
export function trimmed(said: readonly Said[]): Said[] {
  const kept = [...said];
  for (let last = kept.pop(); last; last = kept.pop()) {
    const text = last.text.trimEnd();
    if (text !== "") return [...kept, { ...last, text }];
  }
  return [];
}
