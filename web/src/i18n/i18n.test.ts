import { expect, test } from "vitest";
import { formatDay, formatSeconds } from ".";
import { en } from "./en";
import { nl } from "./nl";

function keys(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => keys(inner, `${path}.${key}`));
}

test("both languages say everything", () => {
  expect(keys(nl)).toEqual(keys(en));
});

test("days and seconds are written as the reader writes them", () => {
  expect(formatDay("2025-03-01", nl)).toBe("1 mrt 2025");
  expect(formatDay("2025-03-01", en)).toBe("1 Mar 2025");
  expect(formatSeconds(1240, nl)).toBe("1,2");
  expect(formatSeconds(1240, en)).toBe("1.2");
});
