import { expect, test } from "vitest";
import { csvOf } from "./csv";

test("a cell keeps its commas, quotes and lines, and is never a formula", () => {
  const rows = [
    ["naam", "waarde"],
    ['de "oude", zei hij', "1\n2"],
    ["=SOM(A1)", " ＋1"],
    ["'-5", "'s nachts"],
  ];
  expect(csvOf(rows)).toBe(`\ufeffnaam,waarde\n"de ""oude"", zei hij","1\n2"\n'=SOM(A1),' ＋1\n''-5,'s nachts\n`);
});
