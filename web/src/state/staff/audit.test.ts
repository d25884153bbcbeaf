import { expect, test, vi } from "vitest";
import type { Entry } from "../../api/types";
import { actsOf, documentsOf, EVERYTHING, fileOf, isBackwards, othersOf, queryOf } from "./audit";

test("nothing is asked of what is not said", () => {
  expect(queryOf({ ...EVERYTHING, user: "  " })).toEqual({});
  expect(queryOf({ ...EVERYTHING, user: " Anna ", result: "refused" })).toEqual({ user: "Anna", result: "refused" });
});

test("the last day is meant whole, by the reader's clock, also when summer time begins in it", () => {
  vi.stubEnv("TZ", "Europe/Brussels");
  expect(queryOf({ ...EVERYTHING, from: "2026-03-29", to: "2026-03-29" })).toEqual({
    since: "2026-03-28T23:00:00.000Z",
    until: "2026-03-29T22:00:00.000Z",
  });
  vi.unstubAllEnvs();
});

test("a period that ends before it begins is seen", () => {
  expect(isBackwards({ ...EVERYTHING, from: "2026-02-01", to: "2026-01-31" })).toBe(true);
  expect(isBackwards({ ...EVERYTHING, from: "2026-02-01", to: "2026-02-01" })).toBe(false);
  expect(isBackwards({ ...EVERYTHING, to: "2026-01-31" })).toBe(false);
});

test("a table's name says its period: the one that was asked for, else that of its entries", () => {
  const entries = [{ ...entryOf(1, "a", "success"), at: "2026-01-01T12:00:00Z" }, entryOf(2, "b", "success")];
  const last = { ...entryOf(3, "c", "success"), at: "2026-01-09T12:00:00Z" };
  expect(fileOf(EVERYTHING, [...entries, last])).toBe("bedside-audit_2026-01-01_2026-01-09.csv");
  expect(fileOf({ ...EVERYTHING, from: "2025-12-24", to: "2026-01-31" }, entries)).toBe(
    "bedside-audit_2025-12-24_2026-01-31.csv",
  );
});

const entryOf = (sequence: number, request: string, result: Entry["result"]): Entry => ({
  sequence,
  request,
  result,
  form: 1,
  id: `e${sequence}`,
  at: "2026-01-01T00:00:00Z",
  action: "document.uploaded",
  origin: "api",
  route: "POST /documents",
  status: 0,
  code: "",
  on: {},
  erased: [],
  buffered: false,
  hash: "00",
});

test("an act is one line, and one that nothing came of stays", () => {
  const entries = [
    entryOf(1, "r", "begun"),
    entryOf(2, "s", "begun"),
    entryOf(3, "r", "success"),
    entryOf(4, "t", "refused"),
  ];
  expect(actsOf(entries).map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
});

test("an entry's documents are named with their places, and all else it says stands beside them", () => {
  const entry: Entry = {
    ...entryOf(1, "r", "success"),
    on: {
      documents: [
        { id: "d1", source: "val.pdf", version: "2", pages: [1, 3], passages: ["p", "q"], use: "quoted" },
        "nonsense",
      ],
      mode: "verbatim",
      cited: [{ id: "d1" }],
    },
  };
  expect(documentsOf(entry)).toEqual([
    { id: "d1", source: "val.pdf", version: "2", pages: "1, 3", passages: 2, use: "quoted" },
  ]);
  const on = { ...entry.on, owner_known: true, pages: [1, 2], before: null };
  expect(othersOf({ ...entry, on } as unknown as Entry, (is) => (is ? "ja" : "nee"))).toEqual([
    ["mode", "verbatim"],
    ["cited", "id d1"],
    ["owner known", "ja"],
    ["pages", "1; 2"],
    ["before", "–"],
  ]);
});
