import { describe, expect, test } from "vitest";
import type { Judged, JudgedSet } from "../../api/types";
import {
  EMPTY,
  formOf,
  isSame,
  listOf,
  matching,
  nameFrom,
  newPlace,
  SET_NAME,
  textOf,
  toSend,
  withoutAnswer,
  withPlaces,
} from "./judged";

const judged: Judged = {
  ...{ id: "1", question: "Hoeveel?", language: "nl", function: "nurse", department: "Spoed", group: "child" },
  ...{ conversation: "c", split: "validate", found: "partly", note: "n" },
  places: [
    { document: "a.pdf", page: 2, span: "Geef 1 g." },
    { document: "b.pdf", page: null, span: "" },
  ],
};
const none: Judged = {
  ...judged,
  id: "2",
  question: "Welke vlag?",
  places: [],
  split: "test",
  note: "",
  department: "",
};
const set: JudgedSet = { name: "s", questions: [judged, none], open: [{ ...none, id: "3", question: "Wie weet?" }] };

describe("a judged question in a form", () => {
  test("nothing changed sends what was there", () => {
    const { id: _, ...rest } = judged;
    expect(toSend(formOf({ judged, open: false }))).toEqual({ ...rest, no_answer: false });
    expect(isSame(formOf({ judged, open: false }), formOf({ judged, open: false }))).toBe(true);
  });

  test("without places it is either left open or without an answer, and stays what it was", () => {
    expect(formOf({ judged: none, open: false }).noAnswer).toBe(true);
    expect(formOf({ judged: none, open: true }).noAnswer).toBe(false);
  });

  test("a place takes 'no document answers this' back, and the other way round", () => {
    const without = withoutAnswer(formOf({ judged, open: false }), true);
    expect(without.places).toEqual([]);
    expect(withPlaces(without, [newPlace("a.pdf")]).noAnswer).toBe(false);
  });

  test("an empty row and a page that is no number are not sent", () => {
    const form = { ...EMPTY, question: " x ", places: [newPlace(), newPlace("a.pdf ", "drie", " y ")] };
    expect(toSend(form)).toMatchObject({
      question: "x",
      split: null,
      group: null,
      found: null,
      places: [{ document: "a.pdf", page: null, span: "y" }],
    });
  });
});

describe("the questions of a set", () => {
  const listed = listOf(set);
  const ids = (found: readonly { judged: Judged }[]): string[] => found.map((one) => one.judged.id);

  test("open ones come first", () => {
    expect(ids(listed)).toEqual(["3", "1", "2"]);
  });

  test("are found by words of the question, the document or the note, in any order and case", () => {
    expect(ids(matching(listed, "SPOED hoeveel", "all"))).toEqual(["1"]);
    expect(ids(matching(listed, "b.pdf", "all"))).toEqual(["1"]);
    expect(ids(matching(listed, "niets", "all"))).toEqual([]);
  });

  test("are chosen by half, by being open and by having no answer", () => {
    expect(ids(matching(listed, "", "validate"))).toEqual(["1"]);
    expect(ids(matching(listed, "", "open"))).toEqual(["3"]);
    expect(ids(matching(listed, "", "none"))).toEqual(["2"]);
  });
});

describe("a file", () => {
  test("is read as UTF-8, else as Windows writes it", () => {
    expect(textOf(new TextEncoder().encode("patiënt").buffer as ArrayBuffer)).toBe("patiënt");
    expect(textOf(new Uint8Array([0x70, 0xeb]).buffer)).toBe("pë");
  });

  test("gives a set a name that the service takes", () => {
    expect(nameFrom("Ronde 1 (spoéd).csv")).toBe("Ronde 1 spoed");
    expect(nameFrom(" - x.csv")).toBe("x");
    expect(SET_NAME.test(nameFrom("Ronde 1 (spoéd).csv"))).toBe(true);
  });
});
