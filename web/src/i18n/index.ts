// The page's words, and what it writes for its reader: days, seconds, scores.
import type { ApiError } from "../api/errors";
import type { Messages } from "./en";
import type { StaffMessages } from "./language";

export {
  LanguageProvider,
  type OwnerMessages,
  type StaffMessages,
  useLanguage,
  useMessages,
  useOwnerMessages,
  useStaffMessages,
  useWardMessages,
} from "./language";
export type { Messages };

/** What to tell the reader of a failure with this code. */
export const failureWords = (code: string, m: Messages): string => m.errors[code] ?? m.errors.internal;

/**
 * What to tell of a failure to save: what the service says is wrong with what was sent, else why
 * nothing was saved.
 */
export function refusalWords({ code, message, status, rows }: ApiError, m: StaffMessages): string {
  if (status < 400 || status >= 500) return failureWords(code, m);
  const [row] = rows;
  const words = m.sets.wrong[row?.code ?? ""]?.(row?.values ?? {});
  const place = /\d+/.exec(row?.where ?? "")?.[0];
  return [words && place ? `${m.sets.place(Number(place))}:` : "", words ?? message].filter(Boolean).join(" ");
}

/** The reader's own day: at night, by Greenwich's clock, it is still yesterday. */
export function dayOf(moment: Date): string {
  const [month, day] = [moment.getMonth() + 1, moment.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${moment.getFullYear()}-${month}-${day}`;
}

/** The day of a moment that the service wrote down. */
export const formatMoment = (moment: string, messages: Messages): string =>
  formatDay(dayOf(new Date(moment)), messages);

/**
 * The moment itself, to the second, by the reader's clock: where it matters what came before what.
 */
export const formatInstant = (moment: string, messages: Messages): string =>
  new Date(moment).toLocaleString(messages.locale, { dateStyle: "medium", timeStyle: "medium" });

/** A day as the reader writes it: "1 maart 2025". `day` is an ISO date. */
export function formatDay(day: string, messages: Messages): string {
  const date = new Date(`${day}T00:00:00`);
  return date.toLocaleDateString(messages.locale, { day: "numeric", month: "short", year: "numeric" });
}

/** 1240 -> "1.2" or "1,2". */
export function formatSeconds(milliseconds: number, messages: Messages): string {
  return (milliseconds / 1000).toLocaleString(messages.locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

export function formatScore(score: number, messages: Messages): string {
  return score.toLocaleString(messages.locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
