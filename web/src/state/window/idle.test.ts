import { expect, test } from "vitest";
import { idleAfter, lastUse } from "./idle";

const MINUTES = 60;

test("a session in use is left alone", () => {
  expect(idleAfter(0, 15 * MINUTES)).toEqual({ kind: "used" });
  expect(idleAfter(13.9 * MINUTES, 15 * MINUTES)).toEqual({ kind: "used" });
});

test("a minute before its end the page says so, in whole seconds", () => {
  expect(idleAfter(14 * MINUTES, 15 * MINUTES)).toEqual({ kind: "ending", seconds: 60 });
  expect(idleAfter(15 * MINUTES - 0.2, 15 * MINUTES)).toEqual({ kind: "ending", seconds: 1 });
});

test("unused for its time it has ended, however much later the page looks", () => {
  expect(idleAfter(15 * MINUTES, 15 * MINUTES)).toEqual({ kind: "ended" });
  expect(idleAfter(8 * 60 * MINUTES, 15 * MINUTES)).toEqual({ kind: "ended" });
});

test("of a short time half is left in peace", () => {
  expect(idleAfter(9, 20)).toEqual({ kind: "used" });
  expect(idleAfter(10, 20)).toEqual({ kind: "ending", seconds: 10 });
});

test("the last use counts of whichever tab, and none that lies ahead or is no time", () => {
  expect(lastUse(100, "150", 200)).toBe(150);
  expect(lastUse(100, "50", 200)).toBe(100);
  expect(lastUse(100, "250", 200)).toBe(100);
  expect([null, "", "much"].map((kept) => lastUse(100, kept, 200))).toEqual([100, 100, 100]);
});
