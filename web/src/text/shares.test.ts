import { expect, test } from "vitest";
import { toldApart } from "./shares";

test("shares that differ are told apart, with no more digits than that takes", () => {
  expect(toldApart(0.2, 0.26, "en-GB")).toEqual(["20%", "26%"]);
  expect(toldApart(0.2561, 0.2604, "en-GB")).toEqual(["25.6%", "26.0%"]);
  expect(toldApart(0.2602, 0.2603, "nl-BE")).toEqual(["26,02%", "26,03%"]);
});
