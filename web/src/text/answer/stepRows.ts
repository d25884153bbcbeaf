// Which rows of a table are steps: those that are numbered one after the other. Nothing is known of
// their words.
import type { Cell, Row } from "./blocks";

export interface StepRows {
  column: number; // where the numbers stand
  rows: ReadonlySet<number>; // indices; a row between them without a number belongs to the step above it
}

type Mark = readonly number[]; // "2b" is [2, 2]

const TOKEN = /\d+|(?<!\p{L})\p{L}(?!\p{L})/gu; // a letter counts by its place in the alphabet
const BEFORE_WORDS = /^(?:\d+(?:\.\d+)*|\p{L})(?=[.)]\s+\S)/u; // "2. Meet de pols"

/** Null where no column holds numbers that follow each other from the first on. */
export function stepRows(rows: readonly Row[]): StepRows | null {
  const columns = [...new Set(rows.flatMap((row) => row.map(({ column }) => column)))].sort((one, two) => one - two);
  for (const column of columns) {
    const found = rowsByNumber(rows, column);
    if (found) return { column, rows: new Set(found) };
  }
  return null;
}

/**
 * Indices of at least two rows, or null. A count begins anew only below a row without a number,
 * such as a heading.
 */
function rowsByNumber(rows: readonly Row[], column: number): number[] | null {
  const found: number[] = [];
  let before: Mark = [];
  let named: string | undefined;
  for (const [index, row] of rows.entries()) {
    const cell = row.find((one) => one.column === column);
    if (!cell || cell.text === "" || cell.columns > 1) continue;
    const { name, mark } = read(cell);
    const anew = found.length === 0 || (found.at(-1) ?? 0) < index - 1;
    if (mark.length === 0 || row.length < 2 || name !== (named ?? name)) return null;
    if (!follows(before, mark) && !(anew && follows([], mark))) return null;
    [before, named] = [mark, name];
    found.push(index);
  }
  return found.length > 1 ? found : null;
}

/**
 * "Stap 2b:" -> "stap", [2, 2]; with words after a number only where a stop or bracket parts the
 * two.
 */
function read({ text }: Cell): { name: string; mark: Mark } {
  const said = BEFORE_WORDS.exec(text)?.[0] ?? text.replace(/[\s.):]+$/u, "");
  const tokens = said.match(TOKEN) ?? [];
  const last = tokens.at(-1);
  if (last === undefined || !said.endsWith(last)) return { name: "", mark: [] }; // "1 jaar"
  const name = said.replace(TOKEN, "").replace(/[^\p{L}]/gu, "");
  return { name: name.toLowerCase(), mark: tokens.map((one) => Number(one) || one.toLowerCase().charCodeAt(0) - 96) };
}

/** 2 or 1a after 1, 2 after 1b, and what is first of all after nothing: 1, or 1a. */
const follows = (before: Mark, mark: Mark): boolean =>
  mark.some(
    (number, at) =>
      at <= before.length &&
      number === (before[at] ?? 0) + 1 &&
      mark.slice(0, at).every((one, place) => one === before[place]) &&
      mark.slice(at + 1).every((one) => one === 1),
  );
