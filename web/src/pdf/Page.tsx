// One page: the drawing, the marked places over it, and pdf.js's invisible text on top, so that
// words can be selected.
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import { useWardMessages } from "../i18n";
import { FoundWords, type Layer } from "./FoundWords";
import type { Found } from "./find";
import { canvasRatio, type Size, sameSize, scaled, toPixels } from "./geometry";
import { type Highlight, onPage } from "./highlights";
import { pdfjs } from "./load";

interface Props {
  pdf: PDFDocumentProxy;
  number: number;
  size: Size; // in points
  scale: number;
  top: number; // in pixels
  highlights: readonly Highlight[];
  current: number;
  found: Found;
}

export function Page({ pdf, number, size, scale, top, highlights, current, found }: Props) {
  const m = useWardMessages();
  const pixels = scaled(size, scale);
  const { canvasHolder, textHolder, exact, drawn, layer } = useDrawnPage(pdf, number, size, scale);
  const matches = found.matches.get(number);
  const style = {
    ...pixels,
    top,
    "--total-scale-factor": scale,
    "--scale-round-x": "0.01px",
    "--scale-round-y": "0.01px",
  };
  return (
    <section className="page" style={style} aria-label={m.pane.pageLabel(number)} data-page={number} data-drawn={drawn}>
      <div className="page-canvas" ref={canvasHolder} />
      {exact &&
        onPage(highlights, number).map(({ index, rects, pointed }) =>
          rects.map((rect, part) => (
            <div
              key={`${index}-${part}`}
              className={`highlight of-${highlights[index]?.kind} ${index === current ? "current" : ""} ${pointed.includes(rect) ? "pointed" : ""}`}
              style={toPixels(rect, scale)}
              data-highlight={highlights[index]?.key}
            />
          )),
        )}
      {layer && matches && <FoundWords {...{ layer, matches, found, number }} />}
      <div className="textLayer" ref={textHolder} />
    </section>
  );
}

/**
 * Draws the page into its holders, again when the scale changes. `exact`: the server measured the
 * same page as we draw.
 */
function useDrawnPage(pdf: PDFDocumentProxy, number: number, size: Size, scale: number) {
  const canvasHolder = useRef<HTMLDivElement>(null);
  const textHolder = useRef<HTMLDivElement>(null);
  const [exact, setExact] = useState(false);
  const [drawn, setDrawn] = useState(false);
  const [layer, setLayer] = useState<Layer | null>(null);

  useEffect(() => {
    const stops: (() => void)[] = [];
    let current = true;
    setDrawn(false);
    setLayer(null); // what was marked on the old one stands elsewhere now
    const draw = async (): Promise<void> => {
      const page = await pdf.getPage(number);
      if (!current) return;
      setExact(sameSize(page.getViewport({ scale: 1 }), size));
      const [written] = await Promise.all([
        drawText(page, scale, textHolder.current, stops),
        drawCanvas(page, scale, canvasHolder.current, stops),
      ]);
      if (!current) return;
      setDrawn(true);
      setLayer(written);
    };
    draw().catch(() => undefined); // cancelled, or a page that pdf.js cannot draw: it stays white
    return () => {
      current = false;
      for (const stop of stops) stop();
    };
  }, [pdf, number, size, scale]);

  return { canvasHolder, textHolder, exact, drawn, layer };
}

async function drawCanvas(
  page: PDFPageProxy,
  scale: number,
  holder: HTMLElement | null,
  stops: (() => void)[],
): Promise<void> {
  if (!holder) return;
  const ratio = canvasRatio(page.getViewport({ scale }), window.devicePixelRatio);
  const viewport = page.getViewport({ scale: scale * ratio });
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  const task = page.render({ canvas, viewport });
  stops.push(() => task.cancel());
  await task.promise;
  holder.replaceChildren(canvas); // the old drawing stays until the new one is whole: nothing blinks
}

async function drawText(
  page: PDFPageProxy,
  scale: number,
  holder: HTMLElement | null,
  stops: (() => void)[],
): Promise<Layer | null> {
  const { TextLayer } = await pdfjs();
  if (!holder) return null;
  holder.replaceChildren();
  const layer = new TextLayer({
    textContentSource: page.streamTextContent({ includeMarkedContent: true }),
    container: holder,
    viewport: page.getViewport({ scale }),
  });
  stops.push(() => layer.cancel());
  await layer.render();
  return { page, holder, elements: layer.textDivs };
}
