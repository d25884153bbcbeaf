// Imports point one way: a room may import itself and the rooms above it in this list, which it
// stands on.
import { expect, test } from "vitest";

const ROOMS = [
  ["settings", "api", "styles"],
  ["i18n", "testing", "queries"],
  ["text"],
  ["pdf"],
  ["state"],
  ["components/shared"],
  ["components/owners", "components/steps"],
  ["components/answer", "components/ask", "components/source", "components/session"],
  [
    "components/admin",
    "components/audit",
    "components/chat",
    "components/browse",
    "components/inbox",
    "components/quality",
  ],
  ["App"],
  ["main"],
];

const ROOT = "/src/";
const SOURCES = import.meta.glob<string>(["/src/**/*.{ts,tsx}", "!/src/**/*.d.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const FILES = Object.keys(SOURCES).map((path) => path.slice(ROOT.length));
const source = (path: string): string => SOURCES[ROOT + path] ?? "";

/**
 * `components/answer/Turn.tsx` -> `components/answer`; a file that lies in no room is one of its
 * own.
 */
const roomOf = (path: string): string =>
  /^components\/[^/]+(?=\/)/.exec(path)?.[0] ?? /^[^/]+(?=\/)/.exec(path)?.[0] ?? path.replace(/\.tsx?$/, "");

const floorOf = (room: string): number => ROOMS.findIndex((floor) => floor.includes(room));

/** The files that a file imports, those of packages left out. */
function importsOf(path: string): string[] {
  const names = Array.from(source(path).matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/g), (found) => found[1] ?? "");
  return names.map((name) => {
    const target = new URL(name, `file:///${path}`).pathname.slice(1);
    return (
      FILES.find((file) => [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].includes(file)) ?? target
    );
  });
}

const own = FILES.filter((path) => !/\.test\.tsx?$/.test(path) && path !== "api/schema.ts");
const code = (path: string): string => source(path).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|^import .*$/gm, "");

test("every file lies in a room", () => {
  expect(FILES.length).toBeGreaterThan(80);
  expect(FILES.filter((path) => floorOf(roomOf(path)) < 0)).toEqual([]);
});

test.each(FILES)("%s imports what its room stands on", (path) => {
  const wrong = importsOf(path).filter((target) => {
    const [own, other] = [roomOf(path), roomOf(target)];
    return own !== other && !(floorOf(other) >= 0 && floorOf(other) < floorOf(own));
  });
  expect(wrong).toEqual([]);
});

test("no file imports itself in a circle", () => {
  const reaches = (path: string, seen = new Set<string>()): Set<string> => {
    for (const target of importsOf(path)) if (!seen.has(target)) reaches(target, seen.add(target));
    return seen;
  };
  expect(FILES.filter((path) => reaches(path).has(path))).toEqual([]);
});

test("the page itself imports nothing that is for tests", () => {
  const shipped = own.filter((path) => roomOf(path) !== "testing");
  expect(shipped.filter((path) => importsOf(path).some((target) => roomOf(target) === "testing"))).toEqual([]);
});

test("only the room `api` speaks to the service", () => {
  const others = own.filter((path) => roomOf(path) !== "api");
  expect(others.filter((path) => /["'`]\/api\b|\bfetch\(/.test(code(path)))).toEqual([]);
});

test("nothing is said to be of a type that it was not found to be", () => {
  const words = /"[^"\n]*"|`[^`]*`/g;
  expect(own.filter((path) => /\bas (?!const\b)/.test(code(path).replaceAll(words, "")))).toEqual([]);
});
