// Which procedures a person opened last: ids alone, on this device, for each person apart. What is
// shown of them the service says each time, so that nobody sees a title that they may no longer
// read. Favourites stood here too, before the service kept them.
import { useSyncExternalStore } from "react";
import { recall, remember } from "../settings";

export interface Kept {
  favourites: readonly string[]; // of an earlier release, the newest first
  opened: readonly string[]; // the last first
}

const NOTHING: Kept = { favourites: [], opened: [] };
export const MOST_OPENED = 10;
const MOST_PEOPLE = 20; // a ward's computer is used by many: whoever was there longest ago is forgotten

const heard = new Set<() => void>();
let read: { text: string | null; people: ReadonlyMap<string, Kept> } = { text: null, people: new Map() };

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/**
 * The people that are in the text, the one who was here last at the end. What is not understood is
 * left out.
 */
export function peopleIn(text: string | null): Map<string, Kept> {
  const people = new Map<string, Kept>();
  try {
    const rows: unknown = JSON.parse(text ?? "[]");
    for (const row of Array.isArray(rows) ? rows : []) {
      const [person, favourites, opened]: unknown[] = Array.isArray(row) ? row : [];
      if (typeof person === "string" && isIds(favourites) && isIds(opened)) people.set(person, { favourites, opened });
    }
  } catch {
    // Not of this page's writing: begun anew.
  }
  return people;
}

export function textOf(people: ReadonlyMap<string, Kept>): string {
  const rows = [...people].map(([person, { favourites, opened }]) => [person, favourites, opened]);
  return JSON.stringify(rows.slice(-MOST_PEOPLE));
}

function people(): ReadonlyMap<string, Kept> {
  const text = recall("documents");
  if (text !== read.text) read = { text, people: peopleIn(text) };
  return read.people;
}

function change(person: string, changed: (kept: Kept) => Kept): void {
  const all = new Map(people());
  const kept = changed(all.get(person) ?? NOTHING);
  all.delete(person);
  all.set(person, kept);
  remember("documents", textOf(all));
  for (const tell of heard) tell();
}

const first = (id: string, ids: readonly string[], most: number): string[] =>
  [id, ...ids.filter((one) => one !== id)].slice(0, most);

export const noteOpened = (person: string, id: string): void =>
  change(person, (kept) => ({ ...kept, opened: first(id, kept.opened, MOST_OPENED) }));

/** The service has them now. */
export const forgetFavourites = (person: string): void => change(person, (kept) => ({ ...kept, favourites: [] }));

export const useKept = (person: string): Kept => useSyncExternalStore(subscribe, () => people().get(person) ?? NOTHING);

function subscribe(changed: () => void): () => void {
  heard.add(changed);
  window.addEventListener("storage", changed); // in another tab
  return () => {
    heard.delete(changed);
    window.removeEventListener("storage", changed);
  };
}
