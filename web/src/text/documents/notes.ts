// What to know of a document, in the reader's language. The service says it in English, with a code
// and what stands in the sentence.
import type { NoteOut } from "../../api/types";
import type { Language } from "../../i18n/language";
import dutch from "../../i18n/notes.nl.json";

const DUTCH: Readonly<Record<string, string | undefined>> = dutch;

export interface Words {
  text: string;
  english: boolean; // in English on a page of another language
}

/**
 * A sentence without a code, or with one that this page does not know, stays as the service wrote
 * it.
 */
export function noteWords({ text, code, values }: NoteOut, language: Language): Words {
  const sentence = DUTCH[code];
  if (language !== "nl" || !sentence) return { text, english: language !== "en" };
  return { text: sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "…"), english: false };
}

/**
 * The pages that notes are about, in order, each with its notes. Of many a note names the first
 * dozen.
 */
export function pagesOf(notes: readonly NoteOut[]): { page: number; notes: NoteOut[] }[] {
  const found = new Map<number, NoteOut[]>();
  for (const note of notes) {
    if (!note.values.on_pages) continue; // about the document as a whole
    for (const number of (note.values.pages ?? "").match(/\d+/g) ?? [])
      found.set(Number(number), [...(found.get(Number(number)) ?? []), note]);
  }
  return [...found].sort(([a], [b]) => a - b).map(([page, about]) => ({ page, notes: about }));
}
