// The question whose answer comes or was come for stands at the top of the view, whatever the page
// does around it, until its reader goes elsewhere. Stands at the end of the turns.
import { useEffect, useLayoutEffect, useRef } from "react";
import "../../styles/answer/in-view.css";

interface Props {
  turn: string; // the last one
  coming: boolean; // its answer is on its way
  opened: unknown; // a source, which takes room from the turns; another one each time that one is opened
}

const NEAR = 2; // pixels
const DEEDS = ["wheel", "touchmove", "pointerdown", "keydown"]; // of who scrolls, by the bar too, or uses what is there
const FOLDS = "(max-width: 640px)"; // as in touch.css
const topOf = (one: Element): number => one.getBoundingClientRect().top;

export function InView({ turn, coming, opened }: Props) {
  const beside = !!opened;
  const mark = useRef<HTMLDivElement>(null);
  const followed = useRef<Element | null>(null);
  const stands = useRef([0, 0]); // how far was scrolled for it, and of how much
  const was = useRef(beside);
  const held = useRef<readonly [Element, number]>(undefined);
  const key = useRef(""); // the last, where the last deed was one that is not typed
  const paneOf = (): HTMLElement | null => mark.current?.closest<HTMLElement>(".conversation") ?? null;
  const follow = (): void => {
    followed.current?.scrollIntoView({ block: "start" });
    stands.current = scrolled(paneOf());
  };
  if (was.current !== beside) {
    was.current = beside;
    held.current = seenIn(paneOf());
  }
  useLayoutEffect(() => {
    const named = coming ? null : document.getElementById(location.hash.slice(1));
    followed.current = named?.closest(".turn") ?? mark.current?.previousElementSibling?.lastElementChild ?? null;
    follow();
    if (matchMedia(FOLDS).matches || document.documentElement.dataset.size !== "normal") {
      // there is an answer to read: the keyboard goes, and the box folds
      document.querySelector<HTMLElement>("#question:focus:placeholder-shown")?.blur();
    }
  }, [turn]);
  useLayoutEffect(() => {
    if (followed.current || !held.current) return;
    const [one, top] = held.current;
    const moved = topOf(one) - top;
    paneOf()?.scrollBy(0, moved / (one.currentCSSZoom ?? 1));
    scrollBy(0, moved);
  }, [beside]);
  useEffect(() => {
    if (key.current !== "j" && key.current !== "k") return;
    const open = paneOf()?.querySelector<HTMLElement>(".card-place.open .card-button");
    if (!open || document.activeElement?.closest(".source")) return;
    open.focus({ preventScroll: true }); // Enter is for the source that is shown
    open.closest(".card-place")?.scrollIntoView({ block: "nearest" });
  }, [opened]);
  useEffect(() => {
    const pane = paneOf();
    const band = pane?.querySelector<HTMLElement>(".ask-band");
    const turns = mark.current?.parentElement;
    if (!pane || !band || !turns) return;
    const sized = new ResizeObserver(() => {
      pane.style.setProperty("--band", `${band.offsetHeight}px`);
      pane.style.setProperty("--pane", `${pane.clientHeight}px`);
      follow();
    });
    for (const one of [pane, band, turns]) sized.observe(one);
    const left = (): void => {
      const [at = 0, of] = stands.current;
      const [now = 0, whole] = scrolled(pane);
      // of another height the browser itself moves it, and the observer moves it back
      if (whole === of && Math.abs(now - at) > NEAR) followed.current = null;
    };
    const done = (event: Event): void => {
      if (!(event.target instanceof Element)) return;
      const pressed = event instanceof KeyboardEvent;
      key.current = pressed && !event.target.closest("textarea, input, select") ? event.key : "";
      if ((pressed ? turns : pane).contains(event.target)) followed.current = null;
    };
    addEventListener("scroll", left, true);
    for (const deed of DEEDS) addEventListener(deed, done, { capture: true, passive: true });
    return () => {
      sized.disconnect();
      removeEventListener("scroll", left, true);
      for (const deed of DEEDS) removeEventListener(deed, done, true);
    };
  }, []);
  return <div ref={mark} />;
}

/** Of the pane, or on a low window of the page. */
const scrolled = (pane: Element | null): number[] => [
  (pane?.scrollTop ?? 0) + scrollY,
  (pane?.scrollHeight ?? 0) - (pane?.clientHeight ?? 0),
];

/** What was pressed, else what is read highest in the pane, and how far down it stands. */
function seenIn(pane: Element | null): readonly [Element, number] | undefined {
  if (!pane) return undefined;
  const { left, top, width, bottom } = pane.getBoundingClientRect();
  const pressed = document.activeElement?.closest(".turns *");
  const inSight = pressed && topOf(pressed) > top && topOf(pressed) < bottom;
  const seen = inSight ? pressed : document.elementFromPoint(left + width / 2, top + 40)?.closest(".turns *");
  return seen ? [seen, topOf(seen)] : undefined;
}
