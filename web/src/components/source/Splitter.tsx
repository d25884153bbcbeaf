// The border between conversation and source, which the reader moves: dragged, or with the arrow
// keys. Kept on this device.
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { useWardMessages } from "../../i18n";
import { recall, remember } from "../../settings";

const [LEAST, MOST, USUAL, STEP] = [25, 75, 44, 2]; // percent of the window that the conversation has

function kept(): number | null {
  const width = Number(recall("split") ?? Number.NaN);
  return width >= LEAST && width <= MOST ? width : null;
}

export function Splitter() {
  const m = useWardMessages();
  const bar = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(kept);
  useLayoutEffect(() => {
    const app = bar.current?.closest<HTMLElement>(".app");
    if (width === null) app?.style.removeProperty("--split");
    else app?.style.setProperty("--split", `${width}%`);
  }, [width]);
  const change = (wanted: number | null): void => {
    const within = wanted === null ? null : Math.round(Math.min(MOST, Math.max(LEAST, wanted)) * 10) / 10;
    setWidth(within);
    remember("split", within === null ? "" : String(within));
  };
  const drag = (event: PointerEvent<HTMLElement>): void => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) change((event.clientX / window.innerWidth) * 100);
  };
  const keyDown = (event: KeyboardEvent): void => {
    const now = width ?? USUAL;
    const wanted = { ArrowLeft: now - STEP, ArrowRight: now + STEP, Home: LEAST, End: MOST, Enter: null }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    change(wanted);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line cannot be moved
    <div
      ref={bar}
      className="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={m.pane.resize}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={Math.round(width ?? USUAL)}
      title={m.pane.resize}
      onKeyDown={keyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDoubleClick={() => change(null)}
    />
  );
}
