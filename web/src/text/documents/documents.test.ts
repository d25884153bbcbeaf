import { expect, test } from "vitest";
import { en } from "../../i18n/en";
import { nl } from "../../i18n/nl";
import { answer, source, span } from "../../testing/answers";
import { byDocument, closenessOf, named } from "./documents";
import { noticesSaid, originOf } from "./facts";
import { completed } from "./patient";
import { shortened } from "./shortened";

test("sources of one document stand together, in the order of their best", () => {
  const sources = [source(1), source(2), source(3, { document_id: "d1" })];
  expect(byDocument(sources).map((own) => own.map(({ rank }) => rank))).toEqual([[1, 3], [2]]);
});

test("how near a document is, is a word: quoted, near, or further than the best", () => {
  const all = [source(1, { score: 0.64 }), source(2, { score: 0.63 }), source(3, { score: 0.5 })];
  const [first, second, third] = all.map((one) => closenessOf([one], all, [span(0, "x")]));
  expect([first, second, third]).toEqual(["quoted", "near", "further"]);
});

test("a sentence is parted at the titles that it holds, at the longest where one holds another", () => {
  const [short, long] = [source(1, { title: "Sepsis" }), source(2, { title: "Sepsis bij kinderen" })];
  expect(named("Sepsis bij kinderen is vervangen door Sepsis (2).", [short, long])).toEqual([
    long,
    " is vervangen door ",
    short,
    " (2).",
  ]);
  expect(named("Geen zeker antwoord.", [short, long])).toEqual(["Geen zeker antwoord."]);
  expect(named("Geen zeker antwoord.", [source(3, { title: "" })])).toEqual(["Geen zeker antwoord."]);
});

test("an answer takes along what stood above it, and title, version, page and day", () => {
  const said = answer({
    notices: [{ code: "expired", text: "Versie 3 is vervallen.", language: "", texts: {} }],
    sources: [source(1, { title: "Sepsis", version: "3", valid_until: "2020-03-01" })],
    spans: [span(0, "x", { page: 2 }), span(1, "y", { page: 2 })],
  });
  expect(originOf(said, nl).split("\n")).toEqual([
    "Versie 3 is vervallen.",
    "1. Sepsis, pagina 2, versie 3, verlopen op 1 mrt 2020 (document-1.pdf)",
    expect.stringMatching(/^Gekopieerd uit Bedside op \d+ \p{L}+ \d{4}; /u),
  ]);
  expect(originOf(answer(), en)).toMatch(/^Copied from Bedside on /);
});

test("a notice is said in the page's language, one without words in it as it was stored, and no mere hint", () => {
  const texts = { nl: "Koorts is vervallen.", en: "Koorts expired." };
  const notices = [
    { code: "expired", text: texts.nl, language: "nl", texts },
    { code: "pack", text: "Noodpakket.", language: "", texts: {} },
    { code: "not_named", text: "Dit antwoord noemt niet: trilt.", language: "nl", texts: {} },
  ];
  expect(noticesSaid(notices, en)).toEqual([
    { code: "expired", text: texts.en, language: "en" },
    { code: "pack", text: "Noodpakket.", language: "" },
  ]);
});

test.each([
  ["welke dosis?", "nl", "welke dosis bij een kind?"],
  ["vancomycine dosis", "nl", "vancomycine dosis bij een kind"],
  ["what dose ?", "en", "what dose in a child?"],
])("%s is completed with a patient", (question, language, whole) => {
  expect(completed(question, "child", language)).toBe(whole);
});

test("a long quote is named by its first words, its letters and their check sum, a short one as it is", () => {
  const long = `Geef kinderen van 10 tot 50 kg ${"15 mg/kg\tparacetamol per gift,\n".repeat(12)}`;
  expect(shortened(["Weeg  het kind.", long])).toEqual([
    "Weeg het kind.",
    "Geef kinderen van 10 tot 50 kg 15 mg/kg paracetamol per gift, 15 mg/kg paracetamol per gift, 15 mg/kg paracetamol per gi~336-xrxomu",
  ]);
  const many = shortened(Array.from({ length: 80 }, (_, row) => `${row} kg: ${"150 mg ".repeat(9)}`));
  expect(many.join("\n").length).toBeLessThan(1500); // no program cuts the address
});
