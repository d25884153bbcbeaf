// What is saved of a conversation, and under which day it stands.
import { expect, test } from "vitest";
import { en } from "../../i18n/en";
import { staff } from "../../i18n/staff/en";
import { ward } from "../../i18n/ward/en";
import { answer, source, span } from "../../testing/answers";
import { markdownOf } from "./markdown";
import { byTime } from "./time";

const m = { ...en, ...ward, ...staff };
const about = { id: "c1", created_at: "", updated_at: "2026-11-24T09:00:00", pinned: false };

test("each answer has its words, its places with links, and what was quoted; a document's signs stay signs", () => {
  const words = "Give *15* mg/kg.";
  const detail = {
    ...about,
    title: "Dose [child]",
    answers: [
      answer({ question: "# dose?", answer: words, spans: [span(0, words, { page: 3 })], sources: [source(1)] }),
    ],
  };
  const text = markdownOf(detail, "https://bedside.example", m);
  expect(text).toContain("# Dose \\[child\\]\n");
  expect(text).toContain("## \\# dose?\n");
  expect(text).toContain("Give \\*15\\* mg/kg. \\[1\\]");
  expect(text).toContain("[Document 1](<https://bedside.example/d/d1#page=3>), page 3, version 1");
  expect(text).toContain("\n> Give \\*15\\* mg/kg.");
});

test("a table stays a table", () => {
  const text = "Weight\tDose\n12 kg\t180 mg\n";
  const cell = (start: number, words: string, column: number, header: boolean) => ({
    ...{ start, end: start + words.length, source_start: 0, source_end: 1, label: "", level: 0 },
    ...{ header, asked: false, pointed: false, column, columns: 1 },
  });
  const spans = [
    span(0, "Weight\tDose\n", { kind: "row", part: 1, pieces: [cell(0, "Weight", 0, true), cell(7, "Dose", 1, true)] }),
    span(12, "12 kg\t180 mg\n", {
      kind: "row",
      part: 1,
      pieces: [cell(12, "12 kg", 0, true), cell(18, "180 mg", 1, false)],
    }),
  ];
  const detail = { ...about, title: "t", answers: [answer({ answer: text, spans, sources: [source(1)] })] };
  expect(markdownOf(detail, "", m)).toContain("| Weight | Dose |\n| --- | --- |\n| 12 kg | 180 mg |");
});

test("a list has one mark an item, and a page of a source stands once with a short link", () => {
  const lines = ["• Weigh.\n", "• Note.\n"];
  const spans = lines.map((line, at) =>
    span(at * 9, line, {
      kind: "list",
      part: 1,
      pieces: [
        {
          ...{ start: at * 9, end: at * 9 + line.length - 1, source_start: 0, source_end: 1, label: "•", level: 0 },
          ...{ header: false, asked: false, pointed: false, column: 0, columns: 1 },
        },
      ],
    }),
  );
  const detail = { ...about, title: "t", answers: [answer({ answer: lines.join(""), spans, sources: [source(1)] })] };
  const text = markdownOf(detail, "https://bedside.example", m);
  expect(text).toContain("- Weigh.\n- Note.\n");
  expect(text).not.toContain("- •");
  expect(text.match(/\/d\/d1#page=\d+>/g)).toHaveLength(1);
  expect(text).toContain("> • Weigh.\n>\n> • Note.");
});

test("an answer that quotes nothing names its first sources, without words of theirs", () => {
  const detail = { ...about, title: "t", answers: [answer({ sources: [source(1, { text: "secret" })] })] };
  const text = markdownOf(detail, "", m);
  expect(text).toContain("[Document 1](</d/d1#page=1>)");
  expect(text).not.toContain("secret");
});

test("what was asked stands under its day; the week begins on Monday, and what is pinned stands first", () => {
  const at = (id: string, updated_at: string, pinned = false) => ({ ...about, id, title: id, updated_at, pinned });
  const tuesday = new Date("2026-11-24T10:00:00");
  const all = [
    at("old but pinned", "2026-01-01T09:00:00", true),
    at("now", "2026-11-24T09:00:00"),
    at("Monday", "2026-11-23T00:00:00"),
    at("Sunday", "2026-11-22T23:59:00"),
  ];
  const found = byTime(all, tuesday).map(({ group, members }) => [group, members.map(({ title }) => title)]);
  expect(found).toEqual([
    ["pinned", ["old but pinned"]],
    ["today", ["now"]],
    ["week", ["Monday"]],
    ["older", ["Sunday"]],
  ]);
  expect(byTime([], tuesday)).toEqual([]);
});
