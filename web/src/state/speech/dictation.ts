// Speech into words by the browser, on the device alone. A recogniser that may send sound away is
// never started: `processLocally` is asked for, and where a browser does not know it there is no
// dictation.

/** "unavailable": not in this browser, or not in this language. */
export type Availability = "unavailable" | "downloadable" | "downloading" | "available";

interface Options {
  langs: string[];
  processLocally: true;
}

interface Result {
  readonly isFinal: boolean;
  readonly [index: number]: { readonly transcript: string } | undefined;
}

export interface Recogniser extends EventTarget {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally: boolean;
  onresult: ((event: { readonly results: ArrayLike<Result> }) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
}

/** https://webaudio.github.io/web-speech-api: the part of it that is used. */
interface Recognition {
  new (): Recogniser;
  readonly prototype: object;
  available(options: Options): Promise<Availability>;
  install(options: Options): Promise<boolean>;
}

declare global {
  interface Window {
    readonly SpeechRecognition?: Partial<Recognition> & { readonly prototype: object };
    readonly webkitSpeechRecognition?: Partial<Recognition> & { readonly prototype: object };
  }
}

const isRecognition = (given: Window["SpeechRecognition"]): given is Recognition =>
  typeof given?.available === "function" && typeof given.install === "function" && "processLocally" in given.prototype;

function recognition(): Recognition | null {
  const found = window.SpeechRecognition ?? window.webkitSpeechRecognition;
  return isRecognition(found) ? found : null;
}

export interface Dictation {
  language: string; // what the recogniser calls it
  availability: Availability;
}

const BEST: readonly Availability[] = ["available", "downloading", "downloadable"];

/**
 * How `locale` ("nl-BE") can be dictated here: in that or, where the device does not know it, in
 * the language's main form ("nl-NL").
 */
export async function dictationIn(locale: string): Promise<Dictation> {
  const { language, region } = new Intl.Locale(new Intl.Locale(locale).language).maximize();
  const [speech, none]: [Recognition | null, Dictation] = [
    recognition(),
    { language: locale, availability: "unavailable" },
  ];
  if (!speech) return none;
  const asked = [...new Set([locale, `${language}-${region}`])].map(async (one): Promise<Dictation> => {
    const availability = await speech
      .available({ langs: [one], processLocally: true })
      .catch(() => "unavailable" as const);
    return { language: one, availability };
  });
  const found = await Promise.all(asked);
  return BEST.flatMap((wanted) => found.filter(({ availability }) => availability === wanted))[0] ?? none;
}

/** Fetch what the device needs to know the language; whether it has it now. */
export const install = async (language: string): Promise<boolean> =>
  (await recognition()
    ?.install({ langs: [language], processLocally: true })
    .catch(() => false)) ?? false;

interface Hearing {
  onWords(words: string): void; // all that was understood until now
  onEnd(error: string | null): void; // once; the browser's word for what went wrong
}

/**
 * Listen until the speaker pauses. Return what ends it sooner; null: this browser cannot, or would
 * not say that it does so on the device.
 */
export function listen(language: string, { onWords, onEnd }: Hearing): (() => void) | null {
  const speech = recognition();
  if (!speech) return null;
  const recogniser = new speech();
  recogniser.processLocally = true;
  if (!recogniser.processLocally) return null;
  recogniser.lang = language;
  recogniser.continuous = false;
  recogniser.interimResults = true;
  let error: string | null = null;
  recogniser.onresult = ({ results }) => onWords(Array.from(results, (one) => one[0]?.transcript ?? "").join(""));
  recogniser.onerror = (event) => {
    error = event.error;
  };
  recogniser.onend = () => onEnd(error);
  try {
    recogniser.start();
  } catch {
    return null;
  }
  return () => recogniser.stop();
}
