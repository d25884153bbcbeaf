import { describe, expect, test } from "vitest";
import { source, span } from "../testing/answers";
import {
  canvasRatio,
  currentPage,
  keptScroll,
  pageScales,
  pageTops,
  sameSize,
  scaled,
  scrollLeftTarget,
  scrollTarget,
  toPixels,
  visiblePages,
  zoomTo,
  zoomToRead,
  zoomWithin,
} from "./geometry";
import { highlightsOf, indexOf, lineOf, onPage, spanKey, topOf } from "./highlights";
import { liesOn } from "./selection";

describe("geometry", () => {
  const pages = Array.from({ length: 50 }, () => ({ width: 595, height: 842 }));

  test("rectangles keep their place and size at every scale", () => {
    expect(toPixels({ x0: 10, y0: 20, x1: 110, y1: 30 }, 1.5)).toEqual({ left: 15, top: 30, width: 150, height: 15 });
  });

  test("a page is enlarged until its lines can be read, or what is marked fills the pane", () => {
    const scaleOf = (zoom: number): number => pageScales([{ width: 595, height: 842 }], 390, zoom)[0] ?? 0;
    expect(12 * scaleOf(zoomToRead(595, 12, 390, 3))).toBeCloseTo(8);
    expect(zoomToRead(595, 3, 390, 3)).toBe(3);
    expect((300 + 24) * scaleOf(zoomTo(595, 100, 400, 3))).toBeCloseTo(390 - 32);
    expect(zoomTo(595, 0, 595, 3)).toBe(1);
    expect(zoomToRead(595, 3, 390, 9)).toBeGreaterThan(zoomWithin(595, 100, 400, 390)); // lines are not cut off
    expect(300 * scaleOf(zoomWithin(595, 100, 400, 390))).toBeCloseTo(390 - 4);
  });

  test("what is narrower than the window stands in its middle, what is wider begins at its left", () => {
    expect(scrollLeftTarget(200, 300, 2, 400)).toBe(500 - 200);
    expect(scrollLeftTarget(200, 500, 2, 400)).toBe(400 - 12);
    expect(scrollLeftTarget(2, 500, 2, 400)).toBe(0);
  });

  test("every page fills the pane, upright or landscape", () => {
    const mixed = [
      { width: 595, height: 842 },
      { width: 842, height: 595 },
    ];
    const scales = pageScales(mixed, 874, 1);
    for (const [index, page] of mixed.entries()) expect(page.width * (scales[index] ?? 0)).toBeCloseTo(842);
    expect(pageScales(mixed, 874, 2)).toEqual(scales.map((scale) => scale * 2));
  });

  test("a few pages are drawn of a long document, wherever it is scrolled", () => {
    const tops = pageTops(pages);
    for (const scrollTop of [0, 5000, 20_000, tops.at(-1) ?? 0]) {
      const [first, last] = visiblePages(tops, scrollTop, 900);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(last).toBeLessThan(50);
      expect(last - first).toBeLessThanOrEqual(4);
    }
  });

  test("a place that is scrolled to stands in the window's upper third, on its page", () => {
    const tops = pageTops(pages.map((page) => scaled(page, 1.2)));
    const scrollTop = scrollTarget(tops[9] ?? 0, 300, 1.2, 900);
    const place = (tops[9] ?? 0) + 300 * 1.2 - scrollTop;
    expect(place).toBeGreaterThan(0);
    expect(place).toBeLessThan(300);
    expect(currentPage(tops, scrollTop, 900)).toBe(9);
  });

  test("what was in sight stands there again when pages or window change, else what stood on top", () => {
    const lies = (zoom: number, height: number) => {
      const scales = pageScales(pages, 600, zoom);
      return { tops: pageTops(pages.map((page, index) => scaled(page, scales[index] ?? 1))), scales, height };
    };
    const [before, now] = [lies(1, 900), lies(1.45, 600)];
    const downIn = ({ tops, scales }: typeof now, scrollTop: number, page: number, y: number): number =>
      (tops[page - 1] ?? 0) + y * (scales[page - 1] ?? 1) - scrollTop;
    const place = { page: 40, y: 300 };
    const at = (before.tops[39] ?? 0) + 300 * (before.scales[39] ?? 1) - 225;
    const kept = keptScroll(before, at, now, place);
    expect(kept.seen).toBe(true);
    expect(downIn(now, kept.scrollTop, 40, 300)).toBeCloseTo(150);
    for (const other of [place, null]) {
      const read = (before.tops[9] ?? 0) + 100 * (before.scales[9] ?? 1);
      const elsewhere = keptScroll(before, read, now, other);
      expect(elsewhere.seen).toBe(false);
      expect(downIn(now, elsewhere.scrollTop, 10, 100)).toBeCloseTo(0);
    }
  });

  test("a canvas never grows past what devices can hold", () => {
    const size = { width: 4000, height: 6000 };
    const ratio = canvasRatio(size, 3);
    expect(size.width * ratio * size.height * ratio).toBeLessThanOrEqual(16_000_001);
    expect(canvasRatio({ width: 600, height: 800 }, 2)).toBe(2);
  });

  test("pages of another size or rotation are told apart", () => {
    expect(sameSize({ width: 595.28, height: 841.89 }, { width: 595, height: 842 })).toBe(true);
    expect(sameSize({ width: 595, height: 842 }, { width: 842, height: 595 })).toBe(false);
  });
});

describe("highlights", () => {
  const rect = (y: number) => ({ x0: 0, y0: y, x1: 10, y1: y + 5 });
  const at = (page: number, y: number) => [{ page, rects: [rect(y)] }];
  const first = span(0, "een", { page: 3, rects: at(3, 400) });
  const second = span(10, "twee", { page: 2, rects: at(2, 90) });
  const third = span(20, "drie", { page: 2, rects: at(2, 50) });

  test("stand in the answer's order, in whatever order they came", () => {
    expect(highlightsOf(source(1), [third, first, second]).map((one) => one.key)).toEqual([
      spanKey(first),
      spanKey(second),
      spanKey(third),
    ]);
  });

  test("are only those of the source's own document", () => {
    expect(highlightsOf(source(1), [first, span(5, "x", { document_id: "other" })])).toHaveLength(1);
  });

  test("are the passage itself when nothing was copied from it", () => {
    const [passage] = highlightsOf(source(2, { page: 7, rects: at(7, 30) }), [first]);
    expect(passage).toMatchObject({ kind: "passage", page: 7 });
  });

  test("the wanted one is found by its key, else the source's own first", () => {
    const other = span(0, "x", { rank: 2, page: 1, rects: at(1, 1) });
    const marked = highlightsOf(source(1), [other, first]);
    expect(indexOf(marked, spanKey(first), 1)).toBe(1);
    expect(indexOf(marked, null, 1)).toBe(1);
    expect(indexOf(marked, "gone", 2)).toBe(0);
  });

  test("of a span that crosses a page border are drawn on both pages", () => {
    const crossing = span(0, "x", { page: 2, rects: [...at(2, 800), ...at(3, 40)] });
    const marked = highlightsOf(source(1), [crossing]);
    expect([2, 3, 4].map((page) => onPage(marked, page).length)).toEqual([1, 1, 0]);
    expect(topOf(marked[0] as (typeof marked)[0])).toBe(800);
  });

  test("a place is opened where most of it is seen at once, not at a title far above", () => {
    const sentence = [...at(1, 600), ...at(1, 620)];
    const [place] = highlightsOf(source(1), [span(0, "x", { page: 1, rects: [...at(1, 40), ...sentence] })]);
    expect(topOf(place as typeof place & object)).toBe(40);
    expect(topOf(place as typeof place & object, 700)).toBe(40);
    expect(topOf(place as typeof place & object, 300)).toBe(600);
  });

  test("a place is opened at its sentence and not at a title far above it, however large", () => {
    const title = span(0, "Titel", {
      kind: "heading",
      page: 1,
      rects: [{ page: 1, rects: [{ x0: 0, y0: 40, x1: 400, y1: 80 }] }],
    });
    const [place] = highlightsOf(source(1), [title, span(6, "4 mg", { page: 1, rects: at(1, 600) })]);
    expect(topOf(place as typeof place & object, 300)).toBe(600);
    expect(topOf(place as typeof place & object, 700)).toBe(40);
  });

  test("a place that is longer than the window is opened at its first words", () => {
    const narrow = { page: 1, rects: [{ x0: 0, y0: 100, x1: 2, y1: 110 }] };
    const rows = [115, 130, 145, 160, 175, 190].flatMap((y) => at(1, y));
    const [place] = highlightsOf(source(1), [span(0, "x", { page: 1, rects: [narrow, ...rows] })]);
    expect(topOf(place as typeof place & object, 60)).toBe(100);
  });

  test("a place is opened where its words stand, not at its heading pages before", () => {
    const heading = span(0, "Titel", { kind: "heading", rects: at(1, 40), page: 1 });
    const words = span(6, "4 mg", { kind: "row", rects: at(3, 60), page: 3 });
    const [place] = highlightsOf(source(1), [heading, words]);
    expect(place).toMatchObject({ key: spanKey(heading), page: 3 });
  });

  test("of a table are one place, with all its rows; not exact when one of them is not", () => {
    const rows = [span(0, "kop", { kind: "row", rects: at(3, 40) }), span(4, "rij", { kind: "row", rects: at(3, 90) })];
    const [place, ...others] = highlightsOf(source(1), rows);
    expect(others).toEqual([]);
    expect(onPage(place ? [place] : [], 3)[0]?.rects).toHaveLength(2);
    const [inexact] = highlightsOf(source(1), [...rows, span(8, "meer", { kind: "row" })]);
    expect(inexact?.rects).toEqual([]);
  });

  test("the row for which a table is quoted is told apart", () => {
    const cell = { start: 4, end: 7, source_start: 4, source_end: 7, label: "", level: 0, column: 0, columns: 1 };
    const pieces = [{ ...cell, header: false, asked: false, pointed: true }];
    const rows = [
      span(0, "kop", { kind: "row", rects: at(3, 40) }),
      span(4, "rij", { kind: "row", rects: at(3, 90), pieces }),
    ];
    const [marked] = onPage(highlightsOf(source(1), rows), 3);
    expect(marked?.pointed).toEqual([marked?.rects[1]]);
    expect(onPage(highlightsOf(source(1), rows.slice(0, 1)), 3)[0]?.pointed).toEqual([]);
  });

  test("most of its lines say how high a line is", () => {
    const [line, tall] = [at(3, 40), at(3, 60)].map((rects) => rects[0]?.rects[0]);
    const rects = line && tall ? [{ page: 3, rects: [line, { ...tall, y1: tall.y0 + 90 }, line] }] : [];
    const [place] = highlightsOf(source(1), [span(0, "zin", { rects })]);
    expect(place && lineOf(place)).toBe((line?.y1 ?? 0) - (line?.y0 ?? 0));
    expect(place && lineOf({ ...place, rects: [] })).toBe(0);
  });

  test("of a document that does not answer are the passage that was looked at, as that", () => {
    const looked = source(2, { page: 7, rects: at(7, 30) });
    expect(highlightsOf(looked, [], true)).toMatchObject([{ kind: "nearest", page: 7, rects: at(7, 30) }]);
  });
});

test("words that were found lie on those that were selected when each of them stands on their line", () => {
  const on = (page: number, x: number, y: number) => [{ page, rects: [{ x0: x, y0: y, x1: x + 50, y1: y + 12 }] }];
  const selected = [...on(3, 100, 200), ...on(3, 60, 214)];
  expect(liesOn(on(3, 110, 202), selected)).toBe(true);
  expect(liesOn([...on(3, 110, 199), ...on(3, 60, 215)], selected)).toBe(true);
  expect(liesOn([...on(3, 110, 199), ...on(3, 60, 227)], selected)).toBe(false); // of the next line
  expect(liesOn(on(3, 160, 200), selected)).toBe(false);
  expect(liesOn(on(4, 100, 200), selected)).toBe(false);
});
