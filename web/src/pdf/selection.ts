// The words that a reader selected on the drawn pages, and where they stand.
import type { PageRects, Rect } from "../api/types";

export interface Selected {
  page: number; // where they begin
  quotes: string[][]; // they, in the ways in which the document's text may hold them
  at: PageRects[];
}

interface Piece {
  page: number;
  words: string; // that are selected
  whole: string; // of which they are
  rect: Rect; // in points
}

/** Null where nothing is selected on these pages. */
export function selectedOn(pages: Element | null): Selected | null {
  const selection = getSelection();
  if (!pages || !selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const pieces = piecesIn(pages, selection.getRangeAt(0));
  const [first] = pieces;
  if (!first) return null;
  const joined = pieces.map((one) => ({ ...one, words: unbroken(one.words), whole: unbroken(one.whole) }));
  const ways = [...waysOf(pieces), ...waysOf(joined)].map((quotes) => quotes.join("\n"));
  return {
    page: first.page,
    quotes: [...new Set(ways)].map((way) => way.split("\n")),
    at: pieces.map(({ page, rect }) => ({ page, rects: [rect] })),
  };
}

/** Without the hyphen of a word that goes on in the next line. */
const unbroken = (words: string): string => words.replace(/(?<=\p{L})[-\u00ad]$/u, "");

/** All together, or by lines, or by texts: a table's columns may be read apart. */
function waysOf(pieces: readonly Piece[]): string[][] {
  const lines = new Map<string, string[]>();
  for (const { page, rect, words } of pieces) {
    const line = `${page} ${Math.round(rect.y0)}`;
    lines.set(line, [...(lines.get(line) ?? []), words]);
  }
  const words = pieces.map((piece) => piece.words);
  const whole = pieces.map((piece) => piece.whole); // a word that stands in many places is told by those around it
  return [[words.join(" ")], [...lines.values()].map((line) => line.join(" ")), words, [whole.join(" ")], whole];
}

function piecesIn(pages: Element, range: Range): Piece[] {
  return [...pages.querySelectorAll<HTMLElement>(".page")].flatMap((page) => {
    const scale = Number.parseFloat(page.style.getPropertyValue("--total-scale-factor"));
    const { left, top } = page.getBoundingClientRect();
    return textsIn(page, range).map((part) => {
      const box = part.getBoundingClientRect();
      const [x0, y0] = [(box.left - left) / scale, (box.top - top) / scale];
      return {
        page: Number(page.dataset.page),
        words: part.toString(),
        whole: part.startContainer.textContent ?? "",
        rect: { x0, y0, x1: x0 + box.width / scale, y1: y0 + box.height / scale },
      };
    });
  });
}

/** The selected part of each text of a page. */
function textsIn(page: Element, range: Range): Range[] {
  const layer = page.querySelector(".textLayer");
  if (!layer || !range.intersectsNode(layer)) return [];
  const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
  const found: Range[] = [];
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    if (!range.intersectsNode(text)) continue;
    const part = document.createRange();
    part.selectNodeContents(text);
    if (text === range.startContainer) part.setStart(text, range.startOffset);
    if (text === range.endContainer) part.setEnd(text, range.endOffset);
    if (part.toString().trim()) found.push(part);
  }
  return found;
}

/** Whether all of these lie where that is selected: the same words may stand elsewhere too. */
export const liesOn = (found: readonly PageRects[], selected: readonly PageRects[]): boolean =>
  found.every(({ page, rects }) =>
    rects.every((one) =>
      selected.some((other) => other.page === page && other.rects.some((rect) => overlap(one, rect))),
    ),
  );

/** On the same line: its own middle lies between the other's top and bottom. */
function overlap(one: Rect, other: Rect): boolean {
  const middle = (one.y0 + one.y1) / 2;
  return one.x0 < other.x1 && other.x0 < one.x1 && other.y0 < middle && middle < other.y1;
}
