import { describe, expect, test } from "vitest";
import type { Row } from "./blocks";
import { durationsIn } from "./durations";
import { phonesIn } from "./phones";
import { stepRows } from "./stepRows";

describe("a duration", () => {
  const of = (text: string): number[] => durationsIn(text).map(({ seconds }) => seconds);

  test.each([
    ["Meet opnieuw na 10 minuten.", [600]],
    ["Check every 5 min.", [300]],
    ["Repeat every 5-min interval", [300]],
    ["Wacht 30 s en zuig opnieuw af", [30]],
    ["Geef 100 ml in 30 min", [1800]],
    ["Geef over 5 tot 10 minuten", [300, 600]],
    ["5-10 min", [300, 600]],
    ["Laat 2 uur en 30 minuten inwerken", [9000]],
    ["Na 1 u 30 min", [5400]],
    ["na 1,5 uur", [5400]],
    ["om de 4 u", [14400]],
    ["Controleer 15 min, daarna elke 2 uur", [900, 7200]],
    ["na 10 minuten en nog eens na 10 min", [600]],
  ])("is found in %s", (text, seconds) => expect(of(text)).toEqual(seconds));

  test.each([
    "Geef 100 ml/uur",
    "120/min",
    "15 mg/kg/u",
    "4 u insuline",
    "10 U insuline",
    "Bel om 8 uur",
    "Give at 8 hours",
    "de ronde van 8.30 uur",
    "hoogstens 4 keer per 24 uur",
    "min. 5 ml",
    "5 mmol",
    "3 s/p",
    "elke 7 dagen",
    "IL-6 min",
    "2 l/min",
    "10:30 uur",
    "0 min",
  ])("is none in %s", (text) => expect(of(text)).toEqual([]));

  test("is named as it stands in the text", () => {
    expect(durationsIn("na 2 uur en 30 minuten").map(({ text }) => text)).toEqual(["2 uur en 30 minuten"]);
    expect(durationsIn("5 tot 10 min").map(({ text }) => text)).toEqual(["5 min", "10 min"]);
  });
});

describe("a number to dial", () => {
  const of = (text: string): string[] => phonesIn(text).map(({ number }) => number);

  test.each([
    ["Bel de anesthesist, toestel 4521.", ["4521"]],
    ["Tel. 4521", ["4521"]],
    ["tel.: 4521 of 4522", ["4521", "4522"]],
    ["DECT 52341 (dag)", ["52341"]],
    ["DECT-nummer: 52341", ["52341"]],
    ["Bel 112", ["112"]],
    ["bel op nummer 4521 voor overleg", ["4521"]],
    ["Bel de arts van wacht op 4521.", ["4521"]],
    ["Call the physician on call on 4521", ["4521"]],
    ["Antigifcentrum: telefoon 070 245 245", ["070245245"]],
    ["gsm 0470 12 34 56", ["0470123456"]],
    ["02/555.01.02", ["025550102"]],
    ["020-5550102", ["0205550102"]],
    ["0800 12 345 (dag en nacht)", ["080012345"]],
    ["+32 2 555 01 02", ["+3225550102"]],
    ["+32 (0)2 555 01 02", ["+3225550102"]],
    ["phone number 4521", ["4521"]],
    ["ext. 301", ["301"]],
    ["telefoon 245 245", ["245245"]],
  ])("is found in %s", (text, numbers) => expect(of(text)).toEqual(numbers));

  test.each([
    "Geef 1000 mg paracetamol",
    "Bel bij een bloeddruk boven 180 mmHg",
    "bel 100 mg",
    "Bel de arts op 1500 ml",
    "Call the doctor at 140",
    "Bel bij pols 140",
    "Tel 100 compressies",
    "tel 120 slagen",
    "van 01/02/2024 tot 03/04/2025",
    "tel. nota van 01/02/2024",
    "01.02.2024 10.30 uur",
    "01-02-2024",
    "2024-02-01",
    "zie pagina 1234",
    "kamer 412",
    "Bel kamer 412",
    "lokaal 02.15",
    "artikelnummer 4521",
    "protocol 0123",
    "0,5 mg per kg",
    "0.5 12 345 678",
    "NaCl 0,9 % 1000 ml",
    "5000 IE heparine",
    "toestel 4521 2 mg",
    "toestel 4521 15 januari",
    "012345678",
    "85.07.30-033.28",
    "+ 100",
    "+2 mmol",
    "bel binnen 15 minuten",
    "DECT 52341/2 mg",
    "telefoon 1,5 uur niet bereikbaar",
    "120/80",
    "10-20-30-40-50",
  ])("is none in %s", (text) => expect(of(text)).toEqual([]));

  test("is where it stands", () => {
    const text = "Bel 😀 toestel 4521.";
    expect(phonesIn(text).map(({ start, end }) => text.slice(start, end))).toEqual(["4521"]);
  });
});

describe("the steps of a table", () => {
  const rowOf = (texts: string[]): Row =>
    texts.map((text, column) => ({ text, header: column === 0, asked: false, pointed: false, column, columns: 1 }));
  /** Each row's number with words beside it. */
  const steps = (...numbers: string[]): number[] | null => {
    const found = stepRows(numbers.map((number) => rowOf([number, "Meet de pols."])));
    return found && [...found.rows];
  };

  test.each([
    [
      ["1", "2", "3"],
      [0, 1, 2],
    ],
    [
      ["1.", "2.", "3."],
      [0, 1, 2],
    ],
    [
      ["Stap 1", "Stap 2"],
      [0, 1],
    ],
    [
      ["STEP 1:", "Step 2:"],
      [0, 1],
    ],
    [
      ["A", "B", "C", "D", "E"],
      [0, 1, 2, 3, 4],
    ],
    [
      ["1", "2a", "2b", "3"],
      [0, 1, 2, 3],
    ],
    [
      ["1", "1.1", "1.2", "2"],
      [0, 1, 2, 3],
    ],
    [
      ["1a", "1b", "2a"],
      [0, 1, 2],
    ],
    [
      ["1", "", "2"],
      [0, 2],
    ],
    [
      ["1. Was de handen", "2. Meet 3 keer", "3. Noteer"],
      [0, 1, 2],
    ],
    [["9", "10"], null],
    [["1", "3"], null],
    [["1", "1"], null],
    [["1", "2", "naar behoefte"], null],
    [["1 jaar", "2 jaar", "3 jaar"], null],
    [["1 u", "2 u"], null],
    [["1-2 kg", "2-3 kg"], null],
    [["5 mg", "10 mg"], null],
    [["2024", "2025"], null],
    [["1"], null],
    [["Stap 1", "Fase 2"], null],
    [["1. Was de handen", "Meet", "3. Noteer"], null],
    [["adrenaline", "amiodarone"], null],
    [["", ""], null],
  ])("are found in %j", (numbers, expected) => expect(steps(...numbers)).toEqual(expected));

  test("are counted anew below a row without a number, and in whichever column they stand", () => {
    const heading: Row = [{ text: "Daarna", header: true, asked: false, pointed: false, column: 0, columns: 3 }];
    const rows = [
      ["Arts", "1", "x"],
      ["Arts", "2", "y"],
    ].map(rowOf);
    const found = stepRows([...rows, heading, ...rows]);
    expect(found && [found.column, ...found.rows]).toEqual([1, 0, 1, 3, 4]);
    expect(stepRows([...rows, ...rows])).toBeNull();
  });

  test("are none where nothing stands beside the numbers", () => {
    expect(stepRows([rowOf(["1"]), rowOf(["2"])])).toBeNull();
  });
});
