// What a source's card shows of its passage: the part around the copied words, with those words marked.

export interface Piece {
  text: string;
  marked: boolean;
}

const LONGEST = 320; // UTF-16 units
const UNQUOTED = 170; // of a passage that the answer did not use
const BEFORE = 60;

/** The passage cut around the first of `quotes` that it holds; from its beginning when it holds none. */
export function excerpt(passage: string, quotes: readonly string[], whole = false): Piece[] {
  const marks = quotes
    .map((quote) => quote.trim())
    .filter((quote) => quote.length > 0)
    .map((quote) => ({ start: passage.indexOf(quote), length: quote.length }))
    .filter((mark) => mark.start >= 0)
    .sort((a, b) => a.start - b.start);
  const from = whole ? 0 : wordStart(passage, Math.max(0, (marks[0]?.start ?? 0) - BEFORE));
  const to = whole
    ? passage.length
    : wordEnd(passage, Math.min(passage.length, from + (marks.length > 0 ? LONGEST : UNQUOTED)));
  const pieces: Piece[] = [];
  let at = from;
  for (const mark of marks) {
    const [start, end] = [Math.max(mark.start, at), Math.min(mark.start + mark.length, to)];
    if (start >= end) continue;
    if (start > at) pieces.push({ text: passage.slice(at, start), marked: false });
    pieces.push({ text: passage.slice(start, end), marked: true });
    at = end;
  }
  if (at < to) pieces.push({ text: passage.slice(at, to), marked: false });
  if (from > 0) pieces.unshift({ text: "… ", marked: false });
  if (to < passage.trimEnd().length) pieces.push({ text: " …", marked: false });
  return pieces;
}

function wordStart(text: string, offset: number): number {
  if (offset === 0) return 0;
  const space = text.slice(offset, offset + 30).search(/\s/);
  return space < 0 ? offset : offset + space + 1;
}

function wordEnd(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  const space = text.slice(0, offset).search(/\s\S*$/);
  return space > offset - 30 ? space : offset;
}
