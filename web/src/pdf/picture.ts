// A page of a document as a small picture, for where it is looked at rather than read.
import type { PDFDocumentProxy } from "pdfjs-dist";

/** Drawn as wide as `holder`, in its place. */
export async function drawInto(holder: Element, pdf: PDFDocumentProxy, number: number): Promise<void> {
  const page = await pdf.getPage(number);
  const ratio = Math.min(window.devicePixelRatio, 2);
  const viewport = page.getViewport({ scale: (holder.clientWidth / page.getViewport({ scale: 1 }).width) * ratio });
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  await page.render({ canvas, viewport }).promise;
  holder.replaceChildren(canvas);
}
