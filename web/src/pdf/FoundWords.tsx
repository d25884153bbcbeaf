// The words that were looked for, marked on a drawn page where its text layer has them; the shown
// one is brought into sight.
import type { PDFPageProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import { type Found, type Match, piecesOf } from "./find";
import type { Box } from "./geometry";

/** A drawn text layer: its elements, in the order of the page's pieces of text. */
export interface Layer {
  page: PDFPageProxy;
  holder: HTMLElement;
  elements: readonly HTMLElement[];
}

interface Props {
  layer: Layer;
  matches: readonly Match[];
  found: Found;
  number: number; // of the page
}

export function FoundWords({ layer, matches, found, number }: Props) {
  const [boxes, setBoxes] = useState<Box[][]>([]);
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let current = true;
    piecesIn(layer.page)
      .then((pieces) => current && setBoxes(matches.map((match) => boxesOf(match, pieces, layer))))
      .catch(() => undefined); // the document was closed meanwhile
    return () => {
      current = false;
    };
  }, [layer, matches]);
  const wanted = number === found.page && boxes.length > 0 ? `${found.words} ${found.page} ${found.index}` : "";
  useEffect(() => {
    if (wanted) shown.current?.scrollIntoView({ block: "center", inline: "nearest" });
  }, [wanted]);
  return boxes.map((one, index) => {
    const current = number === found.page && index === found.index;
    return one.map((box, part) => (
      <div
        key={`${index}-${part}`}
        className={`found ${current ? "current" : ""}`}
        style={box}
        ref={current && part === 0 ? shown : undefined}
      />
    ));
  });
}

/** As the find controller counts them: letters that are drawn as one stay one. */
async function piecesIn(page: PDFPageProxy): Promise<string[]> {
  const { items } = await page.getTextContent({ disableNormalization: true });
  return items.flatMap((item) => ("str" in item ? item.str : []));
}

function boxesOf(match: Match, pieces: readonly string[], { holder, elements }: Layer): Box[] {
  const origin = holder.getBoundingClientRect();
  return piecesOf(match, pieces).flatMap(({ piece, from, to }) => {
    const text = elements[piece]?.firstChild;
    if (!(text instanceof Text)) return [];
    const range = document.createRange();
    range.setStart(text, Math.min(from, text.length));
    range.setEnd(text, Math.min(to, text.length));
    return Array.from(range.getClientRects(), ({ left, top, width, height }) => ({
      left: left - origin.left,
      top: top - origin.top,
      width,
      height,
    }));
  });
}
