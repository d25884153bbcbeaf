// Prints the whole open document. Who presses Ctrl+P while one is open is asked first which of the
// two they mean, the document or the page that it is opened on.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { dayOf, formatDay, useWardMessages } from "../../i18n";
import { tellOpened } from "../../queries/documents/shown";
import { Dialog } from "../shared/controls/Dialog";
import { printPages } from "./printPages";
import "../../styles/answer/pdf-print.css";

interface Props {
  pdf: PDFDocumentProxy;
  id: string; // of the document
  alone: boolean; // nothing stands beside it
  asks: boolean; // what is meant
  onAsked(): void;
}

export function PrintFile({ pdf, id, alone, asks, onAsked }: Props) {
  const m = useWardMessages();
  const [drawn, setDrawn] = useState<number | null>(null); // pages that are ready; null: nothing is printed
  const [failed, setFailed] = useState(false);
  const stop = useRef(false);
  useEffect(
    () => () => {
      stop.current = true;
    },
    [],
  );
  const print = async (): Promise<void> => {
    stop.current = drawn !== null; // pressed again, it is not wanted any more
    if (drawn !== null) return;
    setFailed(false);
    setDrawn(0);
    tellOpened(id);
    const said = m.pane.printedOn(formatDay(dayOf(new Date()), m));
    await printPages(pdf, said, setDrawn, () => stop.current).catch(() => setFailed(true));
    setDrawn(null);
  };
  const choose = (chosen: () => void): void => {
    onAsked();
    setTimeout(chosen); // the dialog is gone by then
  };
  return (
    <>
      <button type="button" className="quiet" onClick={() => void print()} title={m.pane.printHelp}>
        {drawn === null ? m.pane.print : m.pane.printing(drawn, pdf.numPages)}
      </button>
      {failed && <span role="alert">{m.pane.printFailed}</span>}
      {asks &&
        createPortal(
          <Dialog title={m.pane.printWhat} close={m.pane.printNothing} onClose={onAsked}>
            <p className="print-choices">
              <button type="button" className="button primary" onClick={() => choose(() => void print())}>
                {m.pane.printWhole(pdf.numPages)}
              </button>
              <button type="button" className="button" onClick={() => choose(() => window.print())}>
                {alone ? m.pane.printSheet : m.pane.printAnswers}
              </button>
            </p>
          </Dialog>,
          document.body, // the button may lie in a menu that is closed
        )}
    </>
  );
}
