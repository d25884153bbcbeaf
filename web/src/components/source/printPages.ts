// A document's pages as pictures on sheets of their own, for the browser to print: none prints a
// file that a page shows by the page's leave alone.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { canvasRatio } from "../../pdf/geometry";

const SHARP = 150 / 72; // pixels per point: as pdf.js's own viewer prints
const EDGE = 14; // points that what is said stands from the sheet's left edge and foot, where pages hold nothing

/**
 * Prints all pages, `said` small along the left edge of each, and leaves nothing behind; `onDrawn`
 * is told how many are drawn. Stops between two of them when `stopped` says so.
 */
export async function printPages(
  pdf: PDFDocumentProxy,
  said: string,
  onDrawn: (pages: number) => void,
  stopped: () => boolean,
) {
  const sheets = document.createElement("div");
  sheets.className = "print-file";
  const end = (): void => {
    for (const sheet of sheets.querySelectorAll("img")) URL.revokeObjectURL(sheet.src);
    sheets.remove();
  };
  try {
    for (let number = 1; number <= pdf.numPages; number++) {
      sheets.append(await sheetOf(pdf, number, said));
      if (stopped()) return end();
      onDrawn(number);
    }
  } catch (error) {
    end();
    throw error;
  }
  document.body.append(sheets);
  addEventListener("afterprint", end, { once: true });
  window.print();
}

async function sheetOf(pdf: PDFDocumentProxy, number: number, said: string): Promise<HTMLElement> {
  const page = await pdf.getPage(number);
  const scale = SHARP * canvasRatio(page.getViewport({ scale: SHARP }), 1);
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  await page.render({ canvas, viewport, intent: "print" }).promise;
  writeAlongEdge(canvas, scale, said);
  const picture = await new Promise<Blob | null>((done) => canvas.toBlob(done));
  canvas.width = 0; // its memory is free at once
  page.cleanup(); // and what it was drawn from
  const sheet = new Image();
  sheet.className = viewport.width > viewport.height ? "wide" : "";
  const loaded = new Promise((done, failed) => {
    sheet.onload = done;
    sheet.onerror = failed;
  });
  sheet.src = picture ? URL.createObjectURL(picture) : "";
  await loaded; // and not decoded: 300 pages would lie in memory as large as they are drawn
  return sheet;
}

function writeAlongEdge(canvas: HTMLCanvasElement, scale: number, said: string): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.translate(EDGE, canvas.height / scale - EDGE);
  context.rotate(-Math.PI / 2);
  context.font = "7px sans-serif";
  context.fillStyle = "#444";
  context.fillText(said, 0, 0);
}
