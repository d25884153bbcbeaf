// What is heard of an answer that is read aloud, in order: what must be known first, then each
// quote after the document that it is from, every piece in its own language. All that the page
// shows of the answer is said, or none of it is.
import type { Answer, Source, Span } from "../../api/types";
import type { Messages } from "../../i18n";
import { isExpired, noticeWords } from "../documents/facts";
import { blocks, headingOf, type Row, type Run } from "./blocks";

export interface Utterance {
  text: string;
  language: string; // "nl", "nl-BE"
}

interface Words {
  from(page: number): string; // before a document's title
}

/** `notices`: as they stand above the answer, in the page's words and the service's. */
export function spokenOf(answer: Answer, notices: readonly Utterance[], said: Words, m: Messages): Utterance[] {
  const { answer: text, spans, sources, unsupported, language } = answer;
  const pieces: Utterance[] = [...notices];
  let from = ""; // the page of a document that was announced last
  const say = (words: string, spoken: string): void => {
    const trimmed = words.trim();
    if (/[\p{L}\p{N}]/u.test(trimmed)) pieces.push({ text: trimmed, language: spoken || m.locale });
  };
  const announce = ({ rank, page }: Span): Source | undefined => {
    const source = sources.find((one) => one.rank === rank);
    if (source && from !== `${source.document_id} ${page}`) {
      const isNew = !from.startsWith(`${source.document_id} `);
      from = `${source.document_id} ${page}`;
      say(said.from(page), m.locale);
      say(source.title, source.language);
      if (isNew) warn(source);
    }
    return source;
  };
  const warn = (source: Source): void => {
    for (const caution of source.cautions.map((one) => noticeWords(one, m)))
      say(caution.text, caution.language || language);
    if (isExpired(source) && source.valid_until) say(m.card.expired(source.valid_until), m.locale);
  };
  for (const block of blocks(text, spans, sources, unsupported)) {
    if (block.kind === "part") {
      const [first] = block.spans;
      const source = first && announce(first);
      for (const line of block.pieces.flatMap(linesOf)) say(line, source?.language ?? language);
      continue;
    }
    for (const segment of block.segments) {
      if (segment.span) say(segment.text, announce(segment.span)?.language ?? language);
      else say(segment.text, language);
      if (segment.unsupported) say(m.answer.notInSource, m.locale);
    }
  }
  return pieces;
}

/**
 * A table row by row, each cell after what its column is called: nobody sees above it where they
 * listen.
 */
function linesOf(run: Run): string[] {
  if (run.kind === "words") return [run.said.map(({ text }) => text).join("")];
  if (run.kind === "list") return run.items.map(({ label, text }) => [label, text].filter(Boolean).join(" "));
  if (run.body.length === 0) return run.head.map((row) => row.map(({ text }) => text).join(", "));
  return run.body.map((row) => row.map((cell) => cellOf(run.head, cell)).join("; "));
}

function cellOf(head: readonly Row[], cell: Row[number]): string {
  const heading = headingOf(head, cell);
  return heading && heading !== cell.text ? `${heading}: ${cell.text}` : cell.text;
}

/** Of these, each language that no voice of this device speaks, once. */
export const unspoken = (pieces: readonly Utterance[], speaks: (language: string) => boolean): string[] => [
  ...new Set(pieces.map(({ language }) => language).filter((language) => !speaks(language))),
];
