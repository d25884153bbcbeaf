// The language that the page speaks, for all of it, and the way to change it. Only the words of the
// chosen language are fetched.
import { createContext, type ReactNode, startTransition, use, useContext, useEffect, useState } from "react";
import { recall, remember } from "../settings";
import type { Messages } from "./en";
import type { OwnerWords } from "./owners/en";
import type { StaffWords } from "./staff/en";
import type { WardWords } from "./ward/en";

export type Language = "nl" | "en";
type WardMessages = Messages & WardWords;
export type StaffMessages = WardMessages & StaffWords;
export type OwnerMessages = Messages & OwnerWords;

const OTHER: Record<Language, Language> = { nl: "en", en: "nl" };

/** Words that come when they are asked for, once for each language. */
class Catalogue<Words> {
  private readonly here = new Set<Language>();
  private readonly coming: Partial<Record<Language, Promise<Words>>> = {};

  constructor(private readonly fetched: Record<Language, () => Promise<Words>>) {}

  load(language: Language): Promise<Words> {
    this.coming[language] ??= this.fetched[language]().then(
      (words) => {
        this.here.add(language);
        return words;
      },
      (error) => {
        addEventListener("online", () => this.forget(language), { once: true });
        throw error;
      },
    );
    return this.coming[language];
  }

  /** Whoever shows words waits for them: nothing is drawn without. */
  useWords(language: Language): Words {
    return use(this.load(language));
  }

  has(language: Language): boolean {
    return this.here.has(language);
  }

  /** What could not be fetched may be asked for again. */
  forget(language: Language): void {
    if (!this.has(language)) delete this.coming[language];
  }
}

const everyones = new Catalogue<Messages>({
  nl: async () => (await import("./nl")).nl,
  en: async () => (await import("./en")).en,
});
const wards = new Catalogue<WardMessages>({
  nl: async () => ({ ...(await everyones.load("nl")), ...(await import("./ward/nl")).ward }),
  en: async () => ({ ...(await everyones.load("en")), ...(await import("./ward/en")).ward }),
});

const staffs = new Catalogue<StaffMessages>({
  nl: async () => ({ ...(await wards.load("nl")), ...(await import("./staff/nl")).staff }),
  en: async () => ({ ...(await wards.load("en")), ...(await import("./staff/en")).staff }),
});

const owners = new Catalogue<OwnerMessages>({
  nl: async () => ({ ...(await everyones.load("nl")), ...(await import("./owners/nl")).owners }),
  en: async () => ({ ...(await everyones.load("en")), ...(await import("./owners/en")).owners }),
});

interface Spoken {
  language: Language;
  other: Language;
  /** Speaks the other language as soon as its words are here; throws when they cannot be had. */
  speakOther(): Promise<void>;
}

const LanguageContext = createContext<Spoken>({ language: "en", other: "nl", speakOther: async () => undefined });

export const useLanguage = (): Spoken => useContext(LanguageContext);
export const useMessages = (): Messages => everyones.useWords(useLanguage().language);
/** With the words of the pages for staff with a task. */
export const useStaffMessages = (): StaffMessages => staffs.useWords(useLanguage().language);
/** The words of what one does with an answer at the bedside. */
export const useWardMessages = (): WardMessages => wards.useWords(useLanguage().language);

/** The words of what one asks the owners of documents. */
export const useOwnerMessages = (): OwnerMessages => owners.useWords(useLanguage().language);

/** The reader's choice is kept on this device; until then the browser's language decides. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const other = OTHER[language];
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const speakOther = async (): Promise<void> => {
    const wanted = [everyones, staffs, wards, owners].filter((one) => one === everyones || one.has(language));
    try {
      await Promise.all(wanted.map((catalogue) => catalogue.load(other)));
    } catch (error) {
      for (const catalogue of wanted) catalogue.forget(other);
      throw error;
    }
    remember("language", other);
    startTransition(() => setLanguage(other)); // what is shown stays until all of it can be said
  };
  return <LanguageContext value={{ language, other, speakOther }}>{children}</LanguageContext>;
}

function firstLanguage(): Language {
  const first = choice();
  void everyones.load(first).catch(() => undefined); // on its way while the page asks who is signed in
  return first;
}

function choice(): Language {
  const kept = recall("language");
  if (kept === "nl" || kept === "en") return kept;
  return navigator.language.toLowerCase().startsWith("nl") ? "nl" : "en";
}
