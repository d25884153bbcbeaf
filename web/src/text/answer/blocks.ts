// An answer as its reader sees it: running text, and between it the parts that are tables, lists
// and boxes.
import type { Piece, Source, Span, Unsupported } from "../../api/types";
import { utf16Offsets } from "./codepoints";
import { isStructured, partsOf } from "./parts";
import { type Said, saidIn, trimmed } from "./said";
import { type Segment, segments } from "./segments";

export type Block = { kind: "text"; segments: Segment[] } | { kind: "part"; pieces: Run[]; spans: Span[] };

/** Spans of a part that are drawn as one thing. */
export type Run =
  | { kind: "table"; head: Row[]; body: Row[] }
  | { kind: "list"; items: Item[] }
  | { kind: "words"; as: "heading" | "note" | "sentence"; said: Said[] };

export interface Cell {
  text: string;
  header: boolean;
  asked: boolean;
  pointed: boolean; // of the row that its table is quoted for
  column: number;
  columns: number;
}
export type Row = Cell[];

export interface Item {
  label: string; // its number or mark
  text: string; // what follows it
  level: number;
}

/**
 * The answer in order. Only spans that equal the answer's text at their place are shown as copied
 * (segments.ts).
 */
export function blocks(
  answer: string,
  spans: readonly Span[],
  sources: readonly Source[],
  unsupported: readonly Unsupported[] | null = null,
): Block[] {
  const cut = segments(answer, spans, sources, unsupported);
  const parts = partsOf(cut.flatMap(({ span }) => span ?? [])).filter(isStructured);
  const home = new Map(parts.flatMap((part) => part.map((span) => [span, part] as const)));
  const found: Block[] = [];
  for (const segment of cut) {
    const part = segment.span && home.get(segment.span);
    const last = found.at(-1);
    if (part) {
      if (part[0] === segment.span) found.push({ kind: "part", spans: part, pieces: runsOf(part, answer) });
    } else if (last?.kind === "text") last.segments.push(segment);
    else if (segment.text.trim() !== "" || found.length === 0) found.push({ kind: "text", segments: [segment] });
  }
  return found.filter((block) => block.kind === "part" || block.segments.some(({ text }) => text.trim() !== ""));
}

function runsOf(part: readonly Span[], answer: string): Run[] {
  const unit = utf16Offsets(answer);
  const at = ({ start, end }: Piece): string => answer.slice(unit(start), unit(end));
  const runs: Run[] = [];
  for (const span of part) {
    const last = runs.at(-1);
    if (span.kind === "row" && span.pieces.length > 0) {
      const row = span.pieces.map((piece) => cellOf(piece, at(piece)));
      if (last?.kind === "table") addRow(last, row);
      else runs.push(addRow({ kind: "table", head: [], body: [] }, row));
    } else if (span.kind === "list" && span.pieces.length > 0) {
      const items = span.pieces.map((piece) => itemOf(piece, at(piece)));
      if (last?.kind === "list") last.items.push(...items);
      else runs.push({ kind: "list", items });
    } else runs.push({ kind: "words", as: asWords(span.kind), said: trimmed(saidIn(span)) });
  }
  return runs;
}

/**
 * Rows of nothing but headers stand above the others as long as none came before them, and each
 * once: a header is quoted with every row.
 */
function addRow(table: Extract<Run, { kind: "table" }>, row: Row): Run {
  const header = row.every((cell) => cell.header);
  if (header && table.head.some((above) => wordsOf(above) === wordsOf(row))) return table;
  if (header && table.body.length === 0) table.head.push(row);
  else table.body.push(row);
  return table;
}

const wordsOf = (row: Row): string => JSON.stringify(row.map(({ text, column, columns }) => [text, column, columns]));

const asWords = (kind: Span["kind"]): "heading" | "note" | "sentence" =>
  kind === "heading" || kind === "note" ? kind : "sentence";

const cellOf = ({ header, asked, pointed, column, columns }: Piece, text: string): Cell => ({
  text: text.trim(),
  header,
  asked,
  pointed,
  column,
  columns,
});

function itemOf({ label, level }: Piece, text: string): Item {
  const words = text.trim();
  return label && words.startsWith(label)
    ? { label, text: words.slice(label.length).trim(), level }
    : { label: "", text: words, level };
}

/** What the columns under `column` are called, for where a table is too wide to be one. */
export const headingOf = (head: readonly Row[], { column }: Cell): string =>
  head
    .flatMap((row) => row.filter((cell) => cell.column <= column && column < cell.column + cell.columns))
    .map(({ text }) => text)
    .filter((text, index, all) => text !== "" && all.indexOf(text) === index)
    .join(", ");
