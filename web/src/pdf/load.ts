// pdf.js, loaded when the first document opens. Everything it fetches comes from this server.
import type { PDFDocumentLoadingTask } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";

// The "legacy" build: the same code for browsers a few years old, as hospital desktops have them.
type PdfJs = typeof import("pdfjs-dist");
let library: Promise<PdfJs> | null = null;

export function pdfjs(): Promise<PdfJs> {
  library ??= import("pdfjs-dist/legacy/build/pdf.mjs").then((module) => {
    module.GlobalWorkerOptions.workerSrc = workerUrl;
    return module;
  });
  return library;
}

/**
 * Begins to open a PDF. Scripts and forms inside it stay inert: no XFA, no sandbox is ever loaded.
 */
export async function openPdf(url: string): Promise<PDFDocumentLoadingTask> {
  const { getDocument } = await pdfjs();
  return getDocument({
    url: new URL(url, location.href).href,
    cMapUrl: `${__PDFJS_DATA__}cmaps/`,
    standardFontDataUrl: `${__PDFJS_DATA__}standard_fonts/`,
    wasmUrl: `${__PDFJS_DATA__}wasm/`,
    iccUrl: `${__PDFJS_DATA__}iccs/`,
    enableXfa: false,
    disableAutoFetch: true, // a 300-page handbook is fetched as far as it is read
    disableStream: true,
    rangeChunkSize: 1 << 18,
  });
}
