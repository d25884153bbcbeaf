import { expect, test } from "vitest";
import { addressOf, inAddress } from "./shown";

const FIRST: { search: string; owner: string | null; days: number; refused: boolean } = {
  search: "",
  owner: null,
  days: 30,
  refused: false,
};

test("an address says what is not as at first, and gives it back as it was", () => {
  expect(addressOf(FIRST, FIRST)).toBe("");
  expect(inAddress("", FIRST)).toEqual(FIRST);
  const asked = { search: "50% & é?", owner: "", days: 0, refused: true };
  expect(inAddress(addressOf(asked, FIRST), FIRST)).toEqual(asked);
});

test("what an address says beside that, or no number, is left alone", () => {
  expect(inAddress("?other=1&days=many", FIRST)).toEqual(FIRST);
});
