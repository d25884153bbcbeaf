// Finding words in an open document, by pdf.js's own find controller: across lines, without regard
// to case and accents. It reads every page's text, so it comes with the first search. Knows nothing
// of pixels.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { pdfjs } from "./load";

/**
 * A match on its page: offset and length in the page's text as pdf.js gives it, line ends not
 * counted.
 */
export interface Match {
  start: number;
  length: number;
}

export interface Found {
  words: string;
  state: "searching" | "found" | "none";
  at: number; // which match is shown, from 1; 0: none yet
  count: number; // of those found until now
  page: number; // of the shown match, from 1; 0: none yet
  index: number; // of the shown match on its page
  matches: ReadonlyMap<number, readonly Match[]>; // by page, from 1
}

export const NOTHING: Found = { words: "", state: "none", at: 0, count: 0, page: 0, index: -1, matches: new Map() };

export interface Finder {
  find(words: string, step?: 1 | -1): void; // without a step: from the page that is read
  end(): void;
}

interface Told {
  state?: number;
  matchesCount?: { current: number; total: number };
}

/**
 * `reading`: the page that the reader is on, from 1. `tell` is called with what is known whenever
 * that changes.
 */
export async function openFinder(
  pdf: PDFDocumentProxy,
  reading: () => number,
  tell: (found: Found) => void,
): Promise<Finder> {
  await pdfjs(); // which the viewer's part builds on
  const { EventBus, FindState, PDFFindController, PDFLinkService } = await import(
    "pdfjs-dist/legacy/web/pdf_viewer.mjs"
  );
  const eventBus = new EventBus();
  class Pages extends PDFLinkService {
    override get pagesCount(): number {
      return pdf.numPages;
    }
    override get page(): number {
      return reading();
    }
    override set page(_: number) {} // it is scrolled to where it is drawn
  }
  const controller = new PDFFindController({ linkService: new Pages({ eventBus }), eventBus });
  controller.setDocument(pdf);
  let words = "";
  let ended = false;
  let state: Found["state"] = "none";
  let counted = { current: 0, total: 0 };
  const heard = (told: Told): void => {
    if (ended) return;
    if (told.matchesCount) counted = told.matchesCount;
    if (told.state === FindState.PENDING) state = "searching";
    else if (told.state === FindState.NOT_FOUND) state = "none";
    else if (told.state !== undefined) state = "found";
    const { pageIdx = -1, matchIdx = -1 } = controller.selected ?? {};
    const { current: at, total: count } = counted;
    tell({ words, state, at, count, page: pageIdx + 1, index: matchIdx, matches: matchesOf(controller) });
  };
  for (const name of ["updatefindmatchescount", "updatefindcontrolstate", "updatetextlayermatches"])
    eventBus.on(name, heard);
  const find = (wanted: string, step?: 1 | -1): void => {
    const again = wanted === words && step !== undefined;
    if (!again) counted = { current: 0, total: 0 };
    words = wanted;
    eventBus.dispatch("find", {
      source: null,
      type: again ? "again" : "",
      query: wanted,
      caseSensitive: false,
      entireWord: false,
      highlightAll: true,
      findPrevious: step === -1,
      matchDiacritics: false,
    });
  };
  return {
    find,
    end: () => {
      ended = true;
      eventBus.dispatch("findbarclose", { source: null });
    },
  };
}

interface Matched {
  pageMatches: number[][] | undefined;
  pageMatchesLength: number[][] | undefined;
}

function matchesOf({ pageMatches = [], pageMatchesLength = [] }: Matched): Map<number, Match[]> {
  const pages = new Map<number, Match[]>();
  for (const [index, starts] of pageMatches.entries()) {
    if (starts && starts.length > 0)
      pages.set(
        index + 1,
        starts.map((start, at) => ({ start, length: pageMatchesLength[index]?.[at] ?? 0 })),
      );
  }
  return pages;
}

/**
 * The parts of the page's pieces of text that a match covers: which piece, and from where to where
 * in it.
 */
export function piecesOf(
  { start, length }: Match,
  pieces: readonly string[],
): { piece: number; from: number; to: number }[] {
  const found: { piece: number; from: number; to: number }[] = [];
  let at = 0;
  for (const [piece, text] of pieces.entries()) {
    const [from, to] = [Math.max(start - at, 0), Math.min(start + length - at, text.length)];
    if (from < to) found.push({ piece, from, to });
    at += text.length;
    if (at >= start + length) break;
  }
  return found;
}
