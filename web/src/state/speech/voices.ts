// The voices that this device has itself. One that is not `localService` would send the words to
// its maker: it is never used.
import { useSyncExternalStore } from "react";

const NONE: readonly SpeechSynthesisVoice[] = [];
let known = NONE;

const synthesis = (): SpeechSynthesis | undefined => window.speechSynthesis;

/** Listed anew when the browser says so: many list none until they were asked once. */
export function useVoices(): readonly SpeechSynthesisVoice[] {
  return useSyncExternalStore(subscribe, listed);
}

function listed(): readonly SpeechSynthesisVoice[] {
  const found =
    synthesis()
      ?.getVoices()
      .filter(({ localService }) => localService) ?? NONE;
  const same = found.length === known.length && found.every((voice, index) => voice === known[index]);
  if (!same) known = found;
  return known;
}

function subscribe(changed: () => void): () => void {
  synthesis()?.addEventListener("voiceschanged", changed);
  return () => synthesis()?.removeEventListener("voiceschanged", changed);
}

const tag = (language: string): string => language.replace("_", "-").toLowerCase();

/** A voice for "nl", or better for "nl-BE"; none of another language. */
export function voiceFor(voices: readonly SpeechSynthesisVoice[], language: string): SpeechSynthesisVoice | undefined {
  const [wanted, spoken] = [tag(language), tag(language).split("-")[0]];
  const fit = voices.filter(({ lang }) => tag(lang).split("-")[0] === spoken);
  return fit.find(({ lang }) => tag(lang) === wanted) ?? fit.find((voice) => voice.default) ?? fit[0];
}
