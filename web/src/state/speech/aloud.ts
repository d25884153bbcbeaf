// What is being read aloud: one answer at a time, piece by piece, each by a voice of its language.
// It ends, breaks or is stopped; a piece is never skipped, for half a dose is worse than none.
import { useSyncExternalStore } from "react";
import type { Utterance } from "../../text/answer/spoken";
import { voiceFor } from "./voices";

export interface Reading {
  answer: string; // which one
  state: "reads" | "broke";
}

let now: Reading | null = null;
const heard = new Set<() => void>();

function become(next: Reading | null): void {
  now = next;
  for (const tell of heard) tell();
}

export const useReading = (): Reading | null => useSyncExternalStore(subscribe, () => now);

function subscribe(changed: () => void): () => void {
  heard.add(changed);
  return () => heard.delete(changed);
}

/** Begin with the first piece; what was being read stops. Every language must have a voice. */
export function readAloud(answer: string, pieces: readonly Utterance[], voices: readonly SpeechSynthesisVoice[]): void {
  stopReading();
  const reading: Reading = { answer, state: "reads" };
  become(reading);
  const next = (index: number): void => {
    if (now !== reading) return; // stopped meanwhile
    const piece = pieces[index];
    const voice = piece && voiceFor(voices, piece.language);
    if (!voice) {
      become(piece ? { answer, state: "broke" } : null);
      return;
    }
    const utterance = new SpeechSynthesisUtterance(piece.text);
    utterance.voice = voice;
    utterance.lang = voice.lang;
    utterance.onend = () => next(index + 1);
    utterance.onerror = () => {
      if (now !== reading) return;
      become({ answer, state: "broke" });
      speechSynthesis.cancel();
    };
    speechSynthesis.speak(utterance);
  };
  next(0);
}

export function stopReading(): void {
  if (now === null) return;
  become(null);
  speechSynthesis.cancel();
}

addEventListener("pagehide", stopReading); // some browsers speak on when the page is gone
