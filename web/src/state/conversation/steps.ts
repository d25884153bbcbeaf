// What is ticked off of quoted lists, and the timers that run: kept for this tab alone, through all
// of its pages, so that nothing of a patient's care stays on a ward's computer. Timers go by the
// clock, so a tab that slept is right again when it wakes.
import { useEffect, useSyncExternalStore } from "react";
import { usePerson } from "../../queries/session";
import { keepInTab, keptInTab } from "../../settings";

export interface Ticks {
  shown: boolean; // as a checklist
  done: ReadonlyMap<number, number>; // indices of items, and when each was ticked, in milliseconds since 1970
}

export interface Timer {
  id: number;
  step: string; // the item it belongs to
  language: string; // of the step
  words: string; // the duration as the document says it
  seconds: number;
  until: number; // milliseconds since 1970
}

interface Steps {
  ticks: ReadonlyMap<string, Ticks>;
  timers: readonly Timer[];
  watched: boolean; // something on the page shows the timers: without it none is offered
}

const NONE: Ticks = { shown: false, done: new Map() };
const EMPTY = { ticks: new Map<string, Ticks>(), timers: [] };
let steps: Steps = { ...EMPTY, watched: false };
let person: string | null = null;
let going = false; // to another page of this tab, where the timers run on
const heard = new Set<() => void>();

function change(changed: Partial<Steps>): void {
  steps = { ...steps, ...changed };
  window.onbeforeunload = (event) => {
    if (steps.timers.length > 0 && !going) event.preventDefault(); // a timer would be lost
  };
  for (const tell of heard) tell();
}

function subscribe(changed: () => void): () => void {
  heard.add(changed);
  return () => heard.delete(changed);
}

/** `list`: which list of which answer. */
export const useTicks = (list: string): Ticks => useSyncExternalStore(subscribe, () => steps.ticks.get(list) ?? NONE);
export const useTimers = (): readonly Timer[] => useSyncExternalStore(subscribe, () => steps.timers);

export const useWatched = (): boolean => useSyncExternalStore(subscribe, () => steps.watched);

/** Says that timers are shown, until what it returns is called. */
export function watch(): () => void {
  change({ watched: true });
  const back = ({ persisted }: PageTransitionEvent): void => {
    going = false;
    if (persisted) restore(); // the page is as it was left, and others were used meanwhile
  };
  const leave = ({ destination }: Event & { destination?: { url: string; sameDocument: boolean } }): void => {
    // what only changes the address leaves nothing
    if (!destination?.sameDocument) going = new URL(destination?.url ?? "", location.href).origin === location.origin;
  };
  // a browser without it asks once too often
  const navigation = "navigation" in window && window.navigation instanceof EventTarget ? window.navigation : null;
  addEventListener("pageshow", back);
  navigation?.addEventListener("navigate", leave);
  return () => {
    removeEventListener("pageshow", back);
    navigation?.removeEventListener("navigate", leave);
    change({ watched: false });
  };
}

function changeKept(changed: Partial<Steps>): void {
  change(changed);
  const { ticks, timers } = steps;
  const lists = [...ticks].map(([list, { shown, done }]) => [list, shown, [...done]]);
  keepInTab("steps", JSON.stringify({ person, lists, timers }));
}

/** A tick as an earlier release kept it, without its time. */
const timed = (one: number | [number, number]): [number, number] => (typeof one === "number" ? [one, 0] : one);

/** What this person had on the page before, and nothing of another one. */
function restore(): void {
  const text = keptInTab("steps");
  if (text === null) return;
  const kept: { person: string; lists: [string, boolean, (number | [number, number])[]][]; timers: Timer[] } =
    JSON.parse(text);
  const own = kept.person === person;
  const ticks = new Map(kept.lists.map(([list, shown, done]) => [list, { shown, done: new Map(done.map(timed)) }]));
  if (own) change({ ticks, timers: kept.timers });
  else changeKept(EMPTY);
}

const setTicks = (list: string, ticks: Ticks): void => changeKept({ ticks: new Map(steps.ticks).set(list, ticks) });

export const show = (list: string, shown: boolean): void =>
  setTicks(list, { ...(steps.ticks.get(list) ?? NONE), shown });

export function tick(list: string, item: number, wanted: boolean): void {
  const { shown, done } = steps.ticks.get(list) ?? NONE;
  const changed = new Map(done);
  if (wanted) changed.set(item, Date.now());
  else changed.delete(item);
  setTicks(list, { shown, done: changed });
}

export const reset = (list: string): void => setTicks(list, { shown: true, done: new Map() });

export function startTimer(timer: Omit<Timer, "id" | "until">): void {
  const id = Math.max(0, ...steps.timers.map((one) => one.id)) + 1;
  changeKept({ timers: [...steps.timers, { ...timer, id, until: Date.now() + timer.seconds * 1000 }] });
}

export const stopTimer = (id: number): void => changeKept({ timers: steps.timers.filter((one) => one.id !== id) });

/** Shows what this person has kept in the tab, and forgets all of it when another one uses it. */
export function usedBy(who: string): void {
  if (person === who) return;
  if (person !== null) change(EMPTY);
  person = who;
  restore();
}

/** What this person had here before, on another page or before this one was loaded again. */
export function useKept(): void {
  const person = usePerson();
  useEffect(() => usedBy(person), [person]);
}

/** What is left of a timer as a clock shows it: "4:05", "1:00:00"; never less than nothing. */
export function clockOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number): string => String(part).padStart(2, "0");
  return h > 0 ? `${h}:${two(min)}:${two(s)}` : `${min}:${two(s)}`;
}
