import { afterEach, expect, test, vi } from "vitest";
import { MOST_OPENED, noteOpened, peopleIn, textOf } from "./kept";

const kept = (person: string) => peopleIn(localStorage.getItem("bedside.documents")).get(person);

afterEach(() => {
  localStorage.clear();
  vi.unstubAllGlobals();
});

test("what was opened last comes first, once, and no more than a few are kept", () => {
  for (let number = 0; number < 30; number++) noteOpened("an", `d${number}`);
  noteOpened("an", "d25");
  expect(kept("an")?.slice(0, 3)).toEqual(["d25", "d29", "d28"]);
  expect(kept("an")?.length).toBe(MOST_OPENED);
});

test("whoever was there longest ago is forgotten first", () => {
  noteOpened("an", "d1");
  for (let number = 0; number < 18; number++) noteOpened(`p${number}`, "d1");
  noteOpened("an", "d2");
  noteOpened("bo", "d1");
  noteOpened("co", "d1");
  expect(kept("p0")).toBeUndefined();
  expect(kept("an")).toEqual(["d2", "d1"]);
});

test.each(["", "{", "7", '[["an"],["bo",[2]],3]'])(
  "%j, which this page did not write, is no reason to fail",
  (text) => {
    expect(peopleIn(text)).toEqual(new Map());
  },
);

test("what is written is read back", () => {
  const people = new Map([["an", ["d2", "d1"]]]);
  expect(peopleIn(textOf(people))).toEqual(people);
});
