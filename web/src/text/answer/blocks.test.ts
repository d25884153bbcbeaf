import { describe, expect, test } from "vitest";
import type { Piece, Span } from "../../api/types";
import { span } from "../../testing/answers";
import { blocks, headingOf } from "./blocks";
import { partsOf } from "./parts";

const WHERE = {
  source_start: 0,
  source_end: 0,
  label: "",
  level: 0,
  header: false,
  column: 0,
  columns: 1,
  asked: false,
  pointed: false,
};

/** A line of an answer with its pieces, each found by its words. */
function line(
  start: number,
  kind: Span["kind"],
  words: readonly string[],
  about: readonly Partial<Piece>[] = [],
): Span {
  const gap = kind === "row" ? "\t" : "\n";
  let at = start;
  const pieces = words.map((text, index) => {
    const piece = { ...WHERE, start: at, end: at + text.length, column: index, ...about[index] };
    at = piece.end + gap.length;
    return piece;
  });
  return span(start, `${words.join(gap)}\n`, { kind, part: 1, pieces });
}

const HEAD = line(0, "row", ["Gewicht", "Dosis"], [{ header: true }, { header: true }]);
const ROW = line(HEAD.end, "row", ["12 kg", "180 mg"], [{ header: true }, { asked: true }]);
const TABLE = HEAD.text + ROW.text;

describe("a part of an answer", () => {
  test("is a table when its spans are rows, with its header and what is asked", () => {
    const [block] = blocks(TABLE, [HEAD, ROW], []);
    expect(block).toMatchObject({
      kind: "part",
      pieces: [
        {
          kind: "table",
          head: [[{ text: "Gewicht" }, { text: "Dosis" }]],
          body: [
            [
              { text: "12 kg", header: true },
              { text: "180 mg", asked: true },
            ],
          ],
        },
      ],
    });
  });

  test("names its header once, though each row is quoted with it", () => {
    const moved = (span: Span, by: number): Span => ({
      ...span,
      start: span.start + by,
      end: span.end + by,
      pieces: span.pieces.map((piece) => ({ ...piece, start: piece.start + by, end: piece.end + by })),
    });
    const spans = [HEAD, ROW, moved(HEAD, TABLE.length), moved(ROW, TABLE.length)];
    const [block] = blocks(TABLE + TABLE, spans, []);
    expect(block).toMatchObject({
      pieces: [
        {
          head: [[{ text: "Gewicht" }, {}]],
          body: [
            [{ text: "12 kg" }, {}],
            [{ text: "12 kg" }, {}],
          ],
        },
      ],
    });
  });

  test("is a list when its span has items, each with its number and its depth", () => {
    const intro = line(0, "heading", ["Meteen doen:"]);
    const items = line(intro.end, "list", ["1. Spoel.", "a) Met water."], [{ label: "1." }, { label: "a)", level: 1 }]);
    const [block] = blocks(intro.text + items.text, [intro, items], []);
    expect(block).toMatchObject({
      pieces: [
        { kind: "words", as: "heading", said: [{ text: "Meteen doen:", asked: false }] },
        {
          kind: "list",
          items: [
            { label: "1.", text: "Spoel.", level: 0 },
            { label: "a)", text: "Met water.", level: 1 },
          ],
        },
      ],
    });
  });

  test("stands between the words before and after it, which stay as they are", () => {
    const [head, row] = [HEAD, ROW].map((one) => ({
      ...one,
      start: one.start + 5,
      end: one.end + 5,
      pieces: one.pieces.map((piece) => ({ ...piece, start: piece.start + 5, end: piece.end + 5 })),
    })) as [Span, Span];
    const found = blocks(`Zie: ${TABLE}Einde.`, [head, row], []);
    expect(found.map(({ kind }) => kind)).toEqual(["text", "part", "text"]);
    expect(found[1]).toMatchObject({
      spans: [{ start: 5 }, {}],
      pieces: [{ body: [[{ text: "12 kg" }, { text: "180 mg" }]] }],
    });
  });

  test("whose words differ from the answer's is not shown as copied", () => {
    expect(blocks(TABLE.replace("180", "190"), [HEAD, ROW], []).map(({ kind }) => kind)).toEqual(["part", "text"]);
  });

  test("of plain sentences is running text, as before", () => {
    const found = blocks("Een. Twee.", [span(0, "Een. "), span(5, "Twee.")], []);
    expect(found).toMatchObject([{ kind: "text", segments: [{ text: "Een. " }, { text: "Twee." }] }]);
  });
});

test("a cell says what heads it, whatever columns the heading spans", () => {
  const cell = { text: "4", header: false, asked: false, pointed: false, column: 2, columns: 1 };
  const head = [
    [{ ...cell, text: "Kind", column: 1, columns: 2 }],
    [
      { ...cell, text: "mg", column: 1 },
      { ...cell, text: "keer", column: 2 },
    ],
  ];
  expect(headingOf(head, cell)).toBe("Kind, keer");
});

describe("what is read together", () => {
  test("is one part; sentences with the same number are each their own", () => {
    expect(partsOf([ROW, HEAD])).toEqual([[HEAD, ROW]]);
    expect(partsOf([span(0, "a"), span(1, "b")])).toHaveLength(2);
  });

  test("never joins two documents", () => {
    expect(partsOf([HEAD, { ...ROW, document_id: "other" }])).toHaveLength(2);
  });
});
