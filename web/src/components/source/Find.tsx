// The bar to find words in the open document: how many there are, the next and the previous, Enter
// and Shift+Enter as everywhere.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useWardMessages } from "../../i18n";
import { type Finder, type Found, NOTHING, openFinder } from "../../pdf/find";

interface Props {
  pdf: PDFDocumentProxy;
  page: number; // that is read
  found: Found;
  onFound(found: Found): void;
  onClose(): void;
}

export function Find({ pdf, page, found, onFound, onClose }: Props) {
  const m = useWardMessages();
  const [words, setWords] = useState("");
  const { finder, failed } = useFinder(pdf, page, onFound);
  const wanted = words.trim();
  useEffect(() => {
    if (wanted) finder?.find(wanted);
    else onFound(NOTHING);
  }, [finder, wanted, onFound]);
  const go = (step: 1 | -1): void => finder?.find(wanted, step);
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && wanted) go(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault(); // the source stays open
  };
  const said = (): string => {
    if (failed) return m.pane.findFailed;
    if (!wanted) return "";
    if (found.words !== wanted || (found.state === "searching" && found.count === 0)) return m.pane.finding;
    return found.count > 0 ? m.pane.place(found.at, found.count) : m.pane.findNone;
  };
  const none = found.count === 0 || found.words !== wanted;
  return (
    <search className="find">
      <input
        type="search"
        aria-label={m.pane.findWords}
        placeholder={m.pane.findWords}
        value={words}
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: the reader has just asked for it
        autoFocus
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={keyDown}
      />
      <span role="status">{said()}</span>
      <button
        type="button"
        className="quiet icon"
        disabled={none}
        onClick={() => go(-1)}
        aria-label={m.pane.findPrevious}
        title={`${m.pane.findPrevious} (Shift+Enter)`}
      >
        ↑
      </button>
      <button
        type="button"
        className="quiet icon"
        disabled={none}
        onClick={() => go(1)}
        aria-label={m.pane.findNext}
        title={`${m.pane.findNext} (Enter)`}
      >
        ↓
      </button>
      <button type="button" className="quiet icon" onClick={onClose} aria-label={m.pane.findClose}>
        ×
      </button>
    </search>
  );
}

function useFinder(pdf: PDFDocumentProxy, page: number, onFound: (found: Found) => void) {
  const [finder, setFinder] = useState<Finder | null>(null);
  const [failed, setFailed] = useState(false);
  const reading = useRef(page);
  reading.current = page;
  useEffect(() => {
    let ended = false;
    const opening = openFinder(pdf, () => reading.current, onFound);
    opening.then(
      (opened) => !ended && setFinder(opened),
      () => !ended && setFailed(true),
    );
    return () => {
      ended = true;
      opening.then((opened) => opened.end()).catch(() => undefined);
      onFound(NOTHING);
    };
  }, [pdf, onFound]);
  return { finder, failed };
}
