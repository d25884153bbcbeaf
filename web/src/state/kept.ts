// Which procedures a person opened last: ids alone, on this device, for each person apart. What is
// shown of them the service says each time, so that nobody sees a title that they may no longer
// read.
import { useSyncExternalStore } from "react";
import { recall, remember } from "../settings";

const NOTHING: readonly string[] = [];
export const MOST_OPENED = 10;
const MOST_PEOPLE = 20; // a ward's computer is used by many: whoever was there longest ago is forgotten

const heard = new Set<() => void>();
let read: { text: string | null; people: ReadonlyMap<string, readonly string[]> } = { text: null, people: new Map() };

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/**
 * The people that are in the text, the one who was here last at the end. What is not understood is
 * left out.
 */
export function peopleIn(text: string | null): Map<string, readonly string[]> {
  const people = new Map<string, readonly string[]>();
  try {
    const rows: unknown = JSON.parse(text ?? "[]");
    for (const row of Array.isArray(rows) ? rows : []) {
      const [person, opened]: unknown[] = Array.isArray(row) ? row : [];
      if (typeof person === "string" && isIds(opened)) people.set(person, opened);
    }
  } catch {
    // Not of this page's writing: begun anew.
  }
  return people;
}

/** Of the people who were here last. */
export const textOf = (people: ReadonlyMap<string, readonly string[]>): string =>
  JSON.stringify([...people].slice(-MOST_PEOPLE));

function people(): ReadonlyMap<string, readonly string[]> {
  const text = recall("documents");
  if (text !== read.text) read = { text, people: peopleIn(text) };
  return read.people;
}

export function noteOpened(person: string, id: string): void {
  const all = new Map(people());
  const before = all.get(person) ?? NOTHING;
  all.delete(person);
  all.set(person, [id, ...before.filter((one) => one !== id)].slice(0, MOST_OPENED));
  remember("documents", textOf(all));
  for (const tell of heard) tell();
}

export const useOpenedLast = (person: string): readonly string[] =>
  useSyncExternalStore(subscribe, () => people().get(person) ?? NOTHING);

function subscribe(changed: () => void): () => void {
  heard.add(changed);
  addEventListener("storage", changed); // in another tab
  return () => {
    heard.delete(changed);
    removeEventListener("storage", changed);
  };
}
