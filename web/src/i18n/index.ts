// Which catalogue the page speaks. The reader's choice is kept on this device; until then the browser's language decides.
import { createContext, useContext } from "react";
import { recall, remember } from "../settings";
import { en, type Messages } from "./en";
import { nl } from "./nl";

export type { Messages };
export type Language = "nl" | "en";

export const CATALOGUES: Record<Language, Messages> = { nl, en };

const MessagesContext = createContext<Messages>(en);
export const MessagesProvider = MessagesContext.Provider;
export const useMessages = (): Messages => useContext(MessagesContext);

export function firstLanguage(): Language {
  const kept = recall("language");
  if (kept === "nl" || kept === "en") return kept;
  return navigator.language.toLowerCase().startsWith("nl") ? "nl" : "en";
}

export function keepLanguage(language: Language): void {
  remember("language", language);
}

/** The reader's own day: at night, by Greenwich's clock, it is still yesterday. */
export function dayOf(moment: Date): string {
  const [month, day] = [moment.getMonth() + 1, moment.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${moment.getFullYear()}-${month}-${day}`;
}

/** The day of a moment that the service wrote down. */
export const formatMoment = (moment: string, messages: Messages): string =>
  formatDay(dayOf(new Date(moment)), messages);

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
