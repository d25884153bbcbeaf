import { expect, test, vi } from "vitest";
import { en } from "./en";
import { dayOf, formatDay, formatMoment, formatSeconds } from "./index.ts";
import { nl } from "./nl";
import { staff as englishStaff } from "./staff/en";
import { staff as dutchStaff } from "./staff/nl";

function keys(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => keys(inner, `${path}.${key}`));
}

test("both languages say everything", () => {
  expect(keys(nl)).toEqual(keys(en));
  expect(keys(dutchStaff)).toEqual(keys(englishStaff));
});

test("after midnight it is the reader's new day, whatever Greenwich says", () => {
  vi.stubEnv("TZ", "Europe/Brussels");
  expect(dayOf(new Date("2026-07-31T22:30:00Z"))).toBe("2026-08-01");
  expect(formatMoment("2026-07-31T22:30:00Z", en)).toBe("1 Aug 2026");
  vi.unstubAllEnvs();
});

test("days and seconds are written as the reader writes them", () => {
  expect(formatDay("2025-03-01", nl)).toBe("1 mrt 2025");
  expect(formatDay("2025-03-01", en)).toBe("1 Mar 2025");
  expect(formatSeconds(1240, nl)).toBe("1,2");
  expect(formatSeconds(1240, en)).toBe("1.2");
});
