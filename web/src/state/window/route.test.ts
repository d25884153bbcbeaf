import { expect, test } from "vitest";
import { placeIn } from "../place";
import { askPath, conversationPath, menuOf, pageAt, pagesFor, parseRoute, placePath, questionInAddress } from "./route";

test("addresses are read and written the same way", () => {
  expect(parseRoute(conversationPath("a/b c"))).toEqual({ kind: "conversation", id: "a/b c" });
  expect(parseRoute("/")).toEqual({ kind: "home" });
});

test("the pages for quality staff and admins have addresses of their own", () => {
  expect(pageAt("/quality/gaps")).toBe("gaps");
  expect(pageAt("/quality/session/")).toBe("session");
  expect(pageAt("/quality/sets")).toBe("sets");
  expect(pageAt("/admin/documents/")).toBe("documents");
  expect(pageAt("/quality")).toBe("chat");
});

test("who may is shown the way to the pages of few", () => {
  expect(pagesFor(["reader"])).toEqual(["conversations", "procedures", "inbox"]);
  expect(pagesFor(["reader"], true)).toEqual(["conversations", "procedures"]);
  expect(pagesFor(["judge"])).toEqual([
    "conversations",
    "procedures",
    "inbox",
    "documents",
    "reviews",
    "session",
    "sets",
    "gaps",
    "usage",
  ]);
  expect(pagesFor(["admin"])).toEqual([
    "conversations",
    "procedures",
    "inbox",
    "documents",
    "owners",
    "accounts",
    "keys",
    "webhooks",
    "reviews",
    "session",
    "sets",
    "gaps",
    "usage",
  ]);
  expect(pagesFor(["auditor"])).toEqual(["audit"]);
  expect(pagesFor([])).toEqual([]);
});

test("a page lies in the menu of its task, and everybody's in none", () => {
  expect(menuOf("procedures", ["judge"])).toBeNull();
  expect(menuOf("gaps", ["admin"])).toBe("quality");
  expect(menuOf("documents", ["admin"])).toBe("administration");
  expect(menuOf("documents", ["reader", "judge"])).toBe("quality");
  expect(menuOf("audit", ["auditor"])).toBe("administration");
  expect(askPath("5 + 10 mg?")).toBe("/?q=5%20%2B%2010%20mg%3F");
});

test.each(["/elders", "/c", "/c/a/b", "/c/%zz"])("%s is nowhere", (path) => {
  expect(parseRoute(path)).toEqual({ kind: "unknown" });
});

test("a place in a document, an answer and a question have addresses", () => {
  const place = { document: "0f8b", page: 12, quotes: ["Gewicht dosis", "Geef 5 + 10 mg/kg & wacht, 100% 😀"] };
  const { pathname, hash } = new URL(placePath(place), "http://x");
  expect(pageAt(pathname)).toBe("linked");
  expect(placeIn({ pathname, hash })).toEqual(place);
  expect(placeIn({ pathname, hash: "" })).toEqual({ document: "0f8b", page: 1, quotes: [] });
  expect(placeIn({ pathname, hash: "#page=-3&quote=a+b" })).toEqual({ document: "0f8b", page: 1, quotes: ["a+b"] });
  expect(placePath({ ...place, quotes: Array(40).fill("a".repeat(5000)) }).length).toBeLessThan(2000);
  const row = "a".repeat(400); // a row is linked whole
  expect(placeIn(new URL(placePath({ ...place, quotes: [row] }), "http://x")).quotes).toEqual([row]);
  expect(parseRoute("/a/1b6b")).toEqual({ kind: "answer", id: "1b6b" });
  expect(questionInAddress("?q=hoeveel%20mg%3F&x=1")).toBe("hoeveel mg?");
  expect(questionInAddress("")).toBe("");
});
