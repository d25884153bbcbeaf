import { describe, expect, test } from "vitest";
import type { Span } from "../../api/types";
import { saidIn, trimmed } from "./said";

const PIECE = { source_start: 0, source_end: 0, label: "", level: 0, header: false, column: 0, columns: 1 };

function quote(text: string, asked: string[], kind: Span["kind"] = "sentence"): Span {
  const start = 100; // of the answer: places are counted from its beginning, in code points
  const pieces = asked.map((words) => {
    const at = start + [...text.slice(0, text.indexOf(words))].length;
    return { ...PIECE, start: at, end: at + [...words].length, asked: true };
  });
  return { start, end: start + [...text].length, text, kind, pieces } as unknown as Span;
}

describe("a quoted paragraph", () => {
  test("is cut where what was asked begins and ends", () => {
    expect(saidIn(quote("Before. The dose is 5 mg. After. ", ["The dose is 5 mg."]))).toEqual([
      { text: "Before. ", asked: false },
      { text: "The dose is 5 mg.", asked: true },
      { text: " After. ", asked: false },
    ]);
  });

  test("counts code points, as the service does", () => {
    const cut = saidIn(quote("Eerst 💉💉. Dan 2 ml. ", ["Dan 2 ml."]));
    expect(cut.find(({ asked }) => asked)?.text).toBe("Dan 2 ml.");
    expect(cut.map(({ text }) => text).join("")).toBe("Eerst 💉💉. Dan 2 ml. ");
  });

  test("without such a place is one piece, and a row's cells are no sentences", () => {
    expect(saidIn(quote("One. Two.", []))).toEqual([{ text: "One. Two.", asked: false }]);
    expect(saidIn(quote("12 kg\t180 mg", ["180 mg"], "row"))).toHaveLength(1);
  });

  test("loses white space at its end and no word", () => {
    expect(trimmed(saidIn(quote("One. Two. \n", ["Two."])))).toEqual([
      { text: "One. ", asked: false },
      { text: "Two.", asked: true },
    ]);
    expect(trimmed([{ text: " \n", asked: false }])).toEqual([]);
  });
});
