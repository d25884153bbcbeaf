// Pages of which something was left out or read in doubt, as pictures: whoever loaded them sees
// what is missing, and goes to the place.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import type { NoteOut } from "../../../api/types";
import { useLanguage, useStaffMessages } from "../../../i18n";
import { drawInto } from "../../../pdf/picture";
import { useDocument } from "../../../pdf/useDocument";
import { placePath } from "../../../state/window/route";
import { noteWords, pagesOf } from "../../../text/documents/notes";

const AT_FIRST = 6;

/** Folded away until it is asked for: the file is fetched then. */
export function LeftOut({ id, notes }: { id: string; notes: readonly NoteOut[] }) {
  const m = useStaffMessages();
  const [open, setOpen] = useState(false);
  const pages = pagesOf(notes);
  if (pages.length === 0) return null;
  return (
    <details className="left-out" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="link">{m.admin.leftOut(pages.length)}</summary>
      {open && <Pictures id={id} pages={pages} />}
    </details>
  );
}

interface Pages {
  pages: readonly { page: number; notes: readonly NoteOut[] }[];
}

function Pictures({ id, pages }: Pages & { id: string }) {
  const m = useStaffMessages();
  const document = useDocument(id);
  const [all, setAll] = useState(false);
  if (document.kind === "loading") return <p className="muted">{m.viewer.loading}</p>;
  const shown = all ? pages : pages.slice(0, AT_FIRST);
  return (
    <>
      {document.kind !== "open" && <p role="status">{m.admin.noPicture}</p>}
      <ul>
        {shown.map(({ page, notes }) => (
          <li key={page}>
            <a href={placePath({ document: id, page, quotes: [] })} target="_blank" rel="noreferrer">
              {document.kind === "open" && <Picture pdf={document.pdf} page={page} />}
              {m.admin.leftOutPage(page)}
            </a>
            <Reasons notes={notes} />
          </li>
        ))}
      </ul>
      {shown.length < pages.length && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {m.admin.leftOutMore(pages.length - shown.length)}
        </button>
      )}
    </>
  );
}

/** Without the pages that the sentence begins with: here it stands under its page. */
function Reasons({ notes }: { notes: readonly NoteOut[] }) {
  const { language } = useLanguage();
  return notes.map((note) => {
    const { text, english } = noteWords(note, language);
    return (
      <p key={note.code} lang={english ? "en" : undefined}>
        {text.replace(/^[^:]*: /, "")}
      </p>
    );
  });
}

function Picture({ pdf, page }: { pdf: PDFDocumentProxy; page: number }) {
  const holder = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // a page that cannot be drawn stays white
    if (holder.current) drawInto(holder.current, pdf, page).catch(() => undefined);
  }, [pdf, page]);
  return <span className="left-out-picture" ref={holder} />;
}
