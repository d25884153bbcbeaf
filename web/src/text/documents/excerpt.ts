// What a source's card shows of its passage: the part around the copied words, with those words
// marked.

export interface Piece {
  text: string;
  marked: boolean;
}

const LONGEST = 320; // UTF-16 units
const UNQUOTED = 170; // of a passage that the answer did not use
const BEFORE = 60;

/**
 * The passage cut where it shows most of the `quotes` that it holds; when it holds none, from the
 * sentence that says most of `asked`.
 */
export function excerpt(passage: string, quotes: readonly string[], whole = false, asked = ""): Piece[] {
  const marks = quotes
    .map((quote) => quote.trim())
    .filter((quote) => quote.length > 0)
    .map((quote) => ({ start: passage.indexOf(quote), length: quote.length }))
    .filter((mark) => mark.start >= 0)
    .sort((a, b) => a.start - b.start);
  const cut = mostMarked(marks);
  const sentences = sentencesOf(passage);
  const from = whole
    ? 0
    : cut
      ? Math.max(wordStart(passage, Math.max(0, cut.start - BEFORE)), Math.min(cut.start, sentences[0]?.index ?? 0))
      : nearestSentence(sentences, wordsIn(asked));
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

interface Mark {
  start: number;
  length: number;
}

/**
 * The mark from which most marked text follows within an excerpt, so that a title on top that was
 * copied too does not hide the sentence; of equals the first.
 */
function mostMarked(marks: readonly Mark[]): Mark | undefined {
  const shown = ({ start }: Mark): number =>
    marks
      .map((mark) => Math.min(mark.start + mark.length, start + LONGEST - BEFORE) - Math.max(mark.start, start))
      .reduce((sum, length) => sum + Math.max(0, length), 0);
  return marks.reduce<Mark | undefined>((best, mark) => (best && shown(best) >= shown(mark) ? best : mark), undefined);
}

const SENTENCE = /[^\n.!?]*(?:[.!?](?!\s)[^\n.!?]*)*[.!?\n]*\s*/gu; // "2.5 mg" has no end in it
const SAYS = /[.!?:]\s*$|\t|^\s*(?:[-•*☐▪]|\d+[.)])\s/u; // a whole sentence, a table's row, a list's item

const wordsIn = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);

/**
 * From the first that says something: what stands above it (a letterhead, a title, a version) is
 * none.
 */
function sentencesOf(passage: string): RegExpExecArray[] {
  const found = [...passage.matchAll(SENTENCE)].filter(([text]) => text.trim() !== "");
  const body = found.findIndex(([text]) => SAYS.test(text));
  return body < 0 ? [] : found.slice(body);
}

/** Where the sentence begins that shares most words with what was asked. */
function nearestSentence(sentences: readonly RegExpExecArray[], asked: ReadonlySet<string>): number {
  let [best, most] = [0, -1];
  for (const { 0: text, index } of sentences) {
    const shared = [...wordsIn(text)].filter((word) => asked.has(word)).length;
    if (shared > most) [best, most] = [index, shared];
  }
  return best;
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
