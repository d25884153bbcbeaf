// The language that the page speaks, for all of it, and the way to change it.
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { recall, remember } from "../settings";
import { en, type Messages } from "./en";
import { nl } from "./nl";

export type Language = "nl" | "en";

const CATALOGUES: Record<Language, Messages> = { nl, en };
const OTHER: Record<Language, Language> = { nl: "en", en: "nl" };

interface Spoken {
  language: Language;
  other: Language;
  speakOther(): void;
}

const LanguageContext = createContext<Spoken>({ language: "en", other: "nl", speakOther: () => undefined });

export const useLanguage = (): Spoken => useContext(LanguageContext);
export const useMessages = (): Messages => CATALOGUES[useLanguage().language];

/** The reader's choice is kept on this device; until then the browser's language decides. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const other = OTHER[language];
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const speakOther = (): void => {
    setLanguage(other);
    remember("language", other);
  };
  return <LanguageContext value={{ language, other, speakOther }}>{children}</LanguageContext>;
}

function firstLanguage(): Language {
  const kept = recall("language");
  if (kept === "nl" || kept === "en") return kept;
  return navigator.language.toLowerCase().startsWith("nl") ? "nl" : "en";
}
