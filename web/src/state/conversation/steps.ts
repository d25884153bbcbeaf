// What is ticked off of quoted lists, and the timers that run: in the memory of this tab alone, so
// that nothing of a patient's care stays on a ward's computer. Timers go by the clock, so a tab
// that slept is right again when it wakes.
import { useSyncExternalStore } from "react";

export interface Ticks {
  shown: boolean; // as a checklist
  done: ReadonlySet<number>; // indices of items
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

const NONE: Ticks = { shown: false, done: new Set() };
let steps: Steps = { ticks: new Map(), timers: [], watched: false };
let person: string | null = null;
let made = 0;
const heard = new Set<() => void>();

function change(changed: Partial<Steps>): void {
  steps = { ...steps, ...changed };
  window.onbeforeunload = steps.timers.length > 0 ? (event) => event.preventDefault() : null; // a timer would be lost
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
  return () => change({ watched: false });
}

const setTicks = (list: string, ticks: Ticks): void => change({ ticks: new Map(steps.ticks).set(list, ticks) });

export const show = (list: string, shown: boolean): void =>
  setTicks(list, { ...(steps.ticks.get(list) ?? NONE), shown });

export function tick(list: string, item: number, wanted: boolean): void {
  const { shown, done } = steps.ticks.get(list) ?? NONE;
  const changed = new Set(done);
  if (wanted) changed.add(item);
  else changed.delete(item);
  setTicks(list, { shown, done: changed });
}

export const reset = (list: string): void => setTicks(list, { shown: true, done: new Set() });

export function startTimer(timer: Omit<Timer, "id" | "until">): void {
  made += 1;
  change({ timers: [...steps.timers, { ...timer, id: made, until: Date.now() + timer.seconds * 1000 }] });
}

export const stopTimer = (id: number): void => change({ timers: steps.timers.filter((one) => one.id !== id) });

/** Forgets all of it when another person uses the tab. */
export function usedBy(who: string): void {
  if (person !== null && person !== who) change({ ticks: new Map(), timers: [] });
  person = who;
}

/** What is left of a timer as a clock shows it: "4:05", "1:00:00"; never less than nothing. */
export function clockOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number): string => String(part).padStart(2, "0");
  return h > 0 ? `${h}:${two(min)}:${two(s)}` : `${min}:${two(s)}`;
}
