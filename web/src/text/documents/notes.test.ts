import { expect, test } from "vitest";
import { noteWords } from "./notes";

const HIDDEN = {
  text: "hidden words are not read; show or remove them in Word: “100 mg”",
  code: "hidden_in_word",
  values: { words: "“100 mg”" },
};

test("a note is said in the reader's language, with what stands in it", () => {
  expect(noteWords(HIDDEN, "nl")).toEqual({
    text: "verborgen woorden worden niet gelezen; maak ze in Word zichtbaar of haal ze weg: “100 mg”",
    english: false,
  });
  expect(noteWords(HIDDEN, "en")).toEqual({ text: HIDDEN.text, english: false });
});

test.each(["", "of a later version"])("a note with the code %j stays as the service wrote it", (code) => {
  expect(noteWords({ ...HIDDEN, code }, "nl")).toEqual({ text: HIDDEN.text, english: true });
});
