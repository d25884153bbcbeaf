// When a session that nobody uses ends: ward PCs are shared. Pure; time comes in from outside.

export type Idle = { kind: "used" } | { kind: "ending"; seconds: number } | { kind: "ended" };

const WARNING = 60; // seconds before the end; half of the time where that is shorter

/** `unused` and `idle` in seconds. */
export function idleAfter(unused: number, idle: number): Idle {
  const left = idle - unused;
  if (left <= 0) return { kind: "ended" };
  return left <= Math.min(WARNING, idle / 2) ? { kind: "ending", seconds: Math.ceil(left) } : { kind: "used" };
}

/** Of this tab or another one, in milliseconds; what is kept and lies ahead is of another clock. */
export function lastUse(here: number, kept: string | null, now: number): number {
  const elsewhere = Number(kept);
  return elsewhere > here && elsewhere <= now ? elsewhere : here;
}
