// The pages of the open document, small, to go to one. Each is drawn when it comes into sight, one
// after the other.
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef } from "react";
import { useWardMessages } from "../../i18n";
import type { Size } from "../../pdf/geometry";
import { drawInto } from "../../pdf/picture";

interface Props {
  pdf: PDFDocumentProxy;
  pages: readonly Size[];
  page: number; // that is read
  onGo(page: number): void;
}

export function Thumbnails({ pdf, pages, page, onGo }: Props) {
  const m = useWardMessages();
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    list.current?.children[page - 1]?.scrollIntoView({ block: "nearest" });
  }, [page]);
  useDrawing(pdf, list);
  return (
    <nav className="thumbnails" ref={list} aria-label={m.pane.thumbnails}>
      {pages.map(({ width, height }, index) => (
        <button
          key={index}
          type="button"
          aria-label={m.pane.thumbnail(index + 1)}
          aria-current={index + 1 === page ? "page" : undefined}
          onClick={() => onGo(index + 1)}
        >
          <span className="thumbnail" style={{ aspectRatio: `${width} / ${height}` }} data-thumbnail={index + 1} />
          {index + 1}
        </button>
      ))}
    </nav>
  );
}

const KEPT = 40; // drawings: of a long document those seen longest ago are drawn again

function useDrawing(pdf: PDFDocumentProxy, list: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const seen = new Set<Element>();
    const drawn: Element[] = [];
    let ended = false;
    let busy = false;
    const next = async (): Promise<void> => {
      const [holder] = seen;
      if (busy || ended || !holder) return;
      busy = true;
      seen.delete(holder);
      if (!holder.firstChild) {
        // a page that pdf.js cannot draw stays white
        await drawInto(holder, pdf, Number(holder.getAttribute("data-thumbnail"))).catch(() => undefined);
        drawn.push(holder);
        if (drawn.length > KEPT) drawn.shift()?.replaceChildren();
      }
      busy = false;
      void next();
    };
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) seen.add(target);
          else seen.delete(target); // scrolled past before its turn came
        }
        void next();
      },
      { root: list.current, rootMargin: "200px 0px" },
    );
    for (const holder of list.current?.querySelectorAll(".thumbnail") ?? []) observer.observe(holder);
    return () => {
      ended = true;
      observer.disconnect();
    };
  }, [pdf, list]);
}
