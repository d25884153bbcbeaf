// Durations that a text names ("na 10 minuten", "every 5 min", "2 uur 30 min"), by their form
// alone: a number and a unit of time. A time of day ("om 8 uur", "8.30 uur"), a rate ("ml/uur") and
// a dose in units ("4 u insuline") are none.

export interface Duration {
  seconds: number;
  text: string; // as it stands there
}

const LONGEST = 12 * 3600; // seconds: who waits longer does not keep a page open for it

const UNITS: readonly [RegExp, number][] = [
  [/^(?:s|secs?\.?|secondes?|seconden|seconds?)$/i, 1],
  [/^(?:mins?\.?|minuut|minuten|minutes?)$/i, 60],
  [/^(?:h|hrs?|hours?|u|uur|uren)$/i, 3600],
];
const UNIT = "secondes?|seconden|seconds?|secs?|minuut|minuten|minutes?|mins?|hours?|hrs?|uur|uren|[shu]";
const NUMBER = String.raw`\d{1,3}(?:[.,]\d{1,2})?`;
const BEFORE = String.raw`(?<![\p{L}\p{N}.,:/]|\p{L}-)`;
const FOUND = new RegExp(
  String.raw`${BEFORE}(${NUMBER})(?:\s?(?:-|–|à|tot|to|of|or)\s?(${NUMBER}))?[\s-]?(${UNIT})(?![\p{L}\p{N}/])`,
  "giu",
);
/** After these a bare "u" is an hour and not a unit of a dose. */
const LASTING = /(?:^|[^\p{L}])(?:na|elke|iedere|om de|binnen|gedurende|tijdens|per|over)\s*$/iu;
/** After these a number of hours is a time of day. */
const CLOCK = /(?:^|[^\p{L}])(?:om|tegen|voor|vóór|vanaf|rond|tot|at|by|before|until|from|around)\s*$/iu;

/** In their order, each once. Both ends of "5 tot 10 minuten" are one. */
export function durationsIn(text: string): Duration[] {
  const found: Duration[] = [];
  let joined: { until: number; size: number } | null = null; // what "2 uur" of "2 uur 30 min" leaves open
  for (const match of text.matchAll(FOUND)) {
    const [words, first = "", second, unit = ""] = match;
    const size = UNITS.find(([name]) => name.test(unit))?.[1] ?? 0;
    const before = text.slice(0, match.index);
    const until = match.index + words.length;
    if (isNoDuration(before, first, unit, size)) continue;
    const last = found.at(-1);
    const between = joined && text.slice(joined.until, match.index);
    if (last && joined && size < joined.size && second === undefined && /^\s*(?:en|and)?\s*$/.test(between ?? "-")) {
      last.seconds += secondsOf(first) * size;
      last.text += text.slice(joined.until, until);
    } else {
      if (second !== undefined) found.push({ seconds: secondsOf(first) * size, text: `${first} ${unit}` });
      found.push({
        seconds: secondsOf(second ?? first) * size,
        text: second === undefined ? words : `${second} ${unit}`,
      });
    }
    joined = { until, size };
  }
  const seen = new Set<number>();
  return found.filter(({ seconds }) => {
    const wanted = seconds >= 5 && seconds <= LONGEST && !seen.has(seconds);
    seen.add(seconds);
    return wanted;
  });
}

function isNoDuration(before: string, first: string, unit: string, size: number): boolean {
  if (unit === "U" || unit === "S" || unit === "H") return true;
  if (unit === "u" && !LASTING.test(before)) return true;
  return size === 3600 && ((CLOCK.test(before) && !LASTING.test(before)) || /\.\d\d$/.test(first));
}

const secondsOf = (number: string): number => Number(number.replace(",", "."));
