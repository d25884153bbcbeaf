import { expect, test } from "vitest";
import { pageAt } from "../window/route";
import { accountInAddress, keysAddress, ownerAddress, ownerInAddress, setAddress, setInAddress } from "./addresses";

test.each([
  ["keys", keysAddress, accountInAddress],
  ["owners", ownerAddress, ownerInAddress],
  ["sets", setAddress, setInAddress],
] as const)("what %s opens with is at an address", (page, write, read) => {
  const { pathname, search } = new URL(write("bo & co 1"), "http://x");
  expect(pageAt(pathname)).toBe(page);
  expect(read(search)).toBe("bo & co 1");
  expect(read("") || null).toBeNull();
});
