import { describe, expect, test } from "vitest";
import { source, span } from "../testing/answers";
import { utf16Offsets } from "./answer/codepoints";
import { segments } from "./answer/segments";
import { excerpt } from "./documents/excerpt";

describe("utf16Offsets", () => {
  test.each(["", "abc", "é µ", "a😀b", "😀😀", "𝒳y\u{10ffff}z"])("slices %j as the server does", (text) => {
    const characters = Array.from(text);
    const unit = utf16Offsets(text);
    for (let start = 0; start <= characters.length; start++) {
      for (let end = start; end <= characters.length; end++) {
        expect(text.slice(unit(start), unit(end))).toBe(characters.slice(start, end).join(""));
      }
    }
  });

  test("offsets past the end give the end", () => {
    expect(utf16Offsets("ab")(9)).toBe(2);
    expect(utf16Offsets("a😀")(9)).toBe(3);
  });
});

describe("segments", () => {
  const sources = [source(1, { text: "Geef 15 mg/kg of 0,5 ml." })];

  test("copied words after an emoji are marked at their place", () => {
    const parts = segments("😀 Geef 15 mg/kg nu", [span(2, "Geef 15 mg/kg ")], sources);
    expect(parts.map((part) => [part.text, Boolean(part.span)])).toEqual([
      ["😀 ", false],
      ["Geef 15 mg/kg ", true],
      ["nu", false],
    ]);
  });

  test("a span that is not equal to the answer at its place is not marked", () => {
    expect(segments("Geef 15 mg", [span(1, "Geef")], sources).some((part) => part.span)).toBe(false);
  });

  test("overlapping spans are marked once", () => {
    const parts = segments("een twee drie", [span(0, "een twee "), span(4, "twee drie")], sources);
    expect(parts.filter((part) => part.span)).toHaveLength(1);
    expect(parts.map((part) => part.text).join("")).toBe("een twee drie");
  });

  test("a written number that no source holds is told apart; a comma is a point", () => {
    const parts = segments("Geef 0.5 ml, 15 mg of 20 mg", [], sources);
    expect(parts.filter((part) => part.unsupported).map((part) => part.text)).toEqual(["20"]);
    expect(parts.map((part) => part.text).join("")).toBe("Geef 0.5 ml, 15 mg of 20 mg");
  });

  test("what the service found is marked, whatever the sources here seem to hold, and nothing else", () => {
    const mark = { start: 5, end: 10, text: "15 mg" };
    const parts = segments("Geef 15 mg of 99 ml", [], sources, [mark]);
    expect(parts.filter((part) => part.unsupported).map((part) => part.text)).toEqual(["15 mg"]);
    expect(parts.map((part) => part.text).join("")).toBe("Geef 15 mg of 99 ml");
    expect(segments("Geef 99 ml", [], sources, []).some((part) => part.unsupported)).toBe(false);
  });

  test("a mark after an emoji stands at its place, and one that reaches into copied words covers the written part", () => {
    const text = "\u{1F600} Geef 15 mg nu";
    const parts = segments(text, [span(10, "mg nu")], sources, [{ start: 7, end: 12, text: "15 mg" }]);
    expect(parts.filter((part) => part.unsupported).map((part) => part.text)).toEqual(["15 "]);
    expect(parts.map((part) => part.text).join("")).toBe(text);
  });

  test("a copied number is never called unsupported", () => {
    expect(segments("7 dagen", [span(0, "7 dagen")], []).some((part) => part.unsupported)).toBe(false);
  });
});

describe("excerpt", () => {
  const passage = `${"woord ".repeat(100)}Geef 15 mg/kg. ${"einde ".repeat(100)}`;
  const shown = (quotes: string[], whole = false): string =>
    excerpt(passage, quotes, whole)
      .map((piece) => piece.text)
      .join("");

  test("shows the part around the quoted words, marked", () => {
    expect(excerpt(passage, ["Geef 15 mg/kg. "]).find((piece) => piece.marked)?.text).toBe("Geef 15 mg/kg.");
    expect(shown(["Geef 15 mg/kg."]).length).toBeLessThan(340);
  });

  test("a title that was copied too does not hide the sentence far below it", () => {
    const page = `Pijn bij kinderen\nVersie 3\n${"Noteer elke gift. ".repeat(30)}Geef 15 mg/kg elke zes uur.`;
    const pieces = excerpt(page, ["Pijn bij kinderen", "Geef 15 mg/kg elke zes uur."]);
    expect(pieces.filter((piece) => piece.marked).map((piece) => piece.text)).toEqual(["Geef 15 mg/kg elke zes uur."]);
    const near = excerpt(`Pijn bij kinderen\nGeef 15 mg/kg.`, ["Pijn bij kinderen", "Geef 15 mg/kg."]);
    expect(near.map((piece) => piece.text).join("")).toBe("Pijn bij kinderen\nGeef 15 mg/kg.");
  });

  test("the whole passage is shown without loss", () => {
    expect(shown(["Geef 15 mg/kg."], true)).toBe(passage);
    expect(shown([], true)).toBe(passage);
  });

  test("of a passage that is not quoted, the sentence is shown that says most of what was asked, and never the letterhead", () => {
    const page = `Ziekenhuis De Vliet\nPijn bij kinderen Versie 3\nGoedgekeurd door de apotheek\n${"Noteer elke gift. ".repeat(12)}Geef 2.5 ml aan een kind van 12 kg.\nBel de arts.`;
    const begins = (asked: string): string =>
      excerpt(page, [], false, asked)
        .map((piece) => piece.text)
        .join("");
    expect(begins("hoeveel ml voor een kind van 12 kg?")).toBe("… Geef 2.5 ml aan een kind van 12 kg.\nBel de arts.");
    expect(begins("Ziekenhuis De Vliet")).toMatch(/^… Noteer elke gift\./);
    expect(begins("")).toMatch(/^… Noteer elke gift\./);
    expect(excerpt("Bezoekuren 14 tot 20 uur", [], false, "bezoek")[0]?.text).toBe("Bezoekuren 14 tot 20 uur");
  });

  test("nothing of a letterhead stands before the quoted words", () => {
    const page = "Ziekenhuis De Vliet\nTelefoon 09 111\nNoteer elke gift.\nGeef 15 mg/kg elke zes uur.";
    const begins = (quote: string): string =>
      excerpt(page, [quote])
        .slice(0, 2)
        .map((piece) => piece.text)
        .join("");
    expect(begins("Geef 15 mg/kg elke zes uur.")).toBe("… Noteer elke gift.\n");
    expect(begins("Noteer elke gift.")).toBe("… Noteer elke gift.");
    expect(begins("Telefoon 09 111")).toBe("… Telefoon 09 111");
  });

  test("words that the passage does not hold change nothing", () => {
    expect(shown(["elders"])).toBe(shown([]));
  });
});
