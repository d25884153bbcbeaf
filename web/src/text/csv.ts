// CSV that people open in a spreadsheet: none of its cells is computed there. As
// rag_api/text/csv_cells.py.
const FORMULA = /^(?: *[=+\-@\t\r\n＝＋－＠]|'+ *[=+\-@\t\r\n＝＋－＠])/;

const harmless = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);
const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** With the mark by which spreadsheets know UTF-8. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  `\ufeff${rows.map((row) => `${row.map((cell) => quoted(harmless(cell))).join()}\n`).join("")}`;
