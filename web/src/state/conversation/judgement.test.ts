import { describe, expect, test } from "vitest";
import { answer, source, span } from "../../testing/answers";
import { type DraftEvent, EMPTY, quotedFrom, reduceDraft, saysSomething, toSend } from "./judgement";

const run = (...events: DraftEvent[]) => events.reduce(reduceDraft, EMPTY);
const ASKER = { function: "nurse", department: "SEH" };

describe("a judgement", () => {
  test("names a source with its page and the quoted words", () => {
    const one = answer({ spans: [span(0, " Geef 1 g. ", { rank: 2 })] });
    const draft = run(
      { type: "found", verdict: "yes" },
      { type: "mark", source: source(2), words: quotedFrom(one, 2), on: true },
    );
    expect(toSend(draft, one, ASKER)).toMatchObject({
      found: "yes",
      no_answer: false,
      marked: [{ document_id: "d2", page: 2, span: "Geef 1 g." }],
      function: "nurse",
    });
  });

  test("says that a document holds it or that none does, never both", () => {
    const mark: DraftEvent = { type: "mark", source: source(1), words: "", on: true };
    expect(run(mark, { type: "none", on: true })).toMatchObject({ noAnswer: true, marks: [] });
    expect(run({ type: "none", on: true }, mark)).toMatchObject({ noAnswer: false, marks: [{ rank: 1 }] });
  });

  test("takes a mark back, and leaves out a page that is no number", () => {
    const mark = (rank: number, on: boolean): DraftEvent => ({ type: "mark", source: source(rank), words: "", on });
    expect(run(mark(1, true), mark(1, false)).marks).toEqual([]);
    const edited = run(mark(2, true), mark(1, true), { type: "edit", rank: 1, change: { page: "x", span: " dit " } });
    expect(toSend(edited, answer(), ASKER)).toMatchObject({
      marked: [
        { document_id: "d1", page: null, span: "dit" },
        { document_id: "d2", page: 2, span: "" },
      ],
    });
  });

  test("is worth saving once it says anything", () => {
    expect(saysSomething(EMPTY)).toBe(false);
    expect(saysSomething(run({ type: "found", verdict: "no" }))).toBe(true);
  });
});
