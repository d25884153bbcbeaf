// One open document: pdf.js's handle, the size of every page, and what the service says of it.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../api/errors";
import type { DocumentDetail } from "../api/types";
import { getShown, shownUrl, tellOpened } from "../queries/documents/shown";
import type { Size } from "./geometry";
import { openPdf } from "./load";
import type { Shown } from "./Viewer";

export type OpenDocument = { kind: "loading" } | ({ kind: "open" } & Shown) | { kind: "gone" } | { kind: "failed" };

/**
 * `beside`: the page shows it by itself, beside an answer; once its reader chooses it, that is
 * told.
 */
export function useDocument(id: string, beside = false): OpenDocument {
  const begun = useRef({ id, beside });
  if (begun.current.id !== id) begun.current = { id, beside };
  const byItself = begun.current.beside;
  const chosen = byItself && !beside;
  useEffect(() => {
    if (chosen) tellOpened(id);
  }, [id, chosen]);
  const [state, setState] = useState<{ id: string; value: OpenDocument }>({ id, value: { kind: "loading" } });

  useEffect(() => {
    let current = true;
    const opening = openPdf(shownUrl(id, byItself));
    const settle = (value: OpenDocument): void => {
      if (current) setState({ id, value });
    };
    const open = async (): Promise<void> => {
      const task = await opening;
      const [detail, pdf] = await Promise.all([getShown(id, byItself), task.promise]);
      settle({ kind: "open", pdf, pages: await pageSizes(pdf, detail), detail });
    };
    open().catch((error: unknown) => settle({ kind: isGone(error) ? "gone" : "failed" }));
    return () => {
      current = false;
      opening.then((task) => task.destroy()).catch(() => undefined);
    };
  }, [id, byItself]);

  return state.id === id ? state.value : { kind: "loading" };
}

/** As the service measured them; a document that it could not read is measured here. */
async function pageSizes(pdf: PDFDocumentProxy, detail: DocumentDetail): Promise<Size[]> {
  if (detail.pages.length === pdf.numPages) return detail.pages.map(({ width, height }) => ({ width, height }));
  const numbers = Array.from({ length: pdf.numPages }, (_, index) => index + 1);
  return Promise.all(numbers.map(async (number) => (await pdf.getPage(number)).getViewport({ scale: 1 })));
}

function isGone(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 404;
  return error instanceof Error && "status" in error && error.status === 404; // pdf.js's ResponseException
}
