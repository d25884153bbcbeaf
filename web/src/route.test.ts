import { expect, test } from "vitest";
import { conversationPath, parseRoute, qualityPage } from "./route";

test("addresses are read and written the same way", () => {
  expect(parseRoute(conversationPath("a/b c"))).toEqual({ kind: "conversation", id: "a/b c" });
  expect(parseRoute("/")).toEqual({ kind: "home" });
});

test("the pages for quality staff have addresses of their own", () => {
  expect(qualityPage("/quality/gaps")).toBe("gaps");
  expect(qualityPage("/quality/session/")).toBe("session");
  expect(qualityPage("/quality")).toBeNull();
});

test.each(["/elders", "/c", "/c/a/b", "/c/%zz"])("%s is nowhere", (path) => {
  expect(parseRoute(path)).toEqual({ kind: "unknown" });
});
