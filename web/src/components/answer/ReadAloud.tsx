// An answer read aloud, where the device has a voice of its own for each of its languages; else it
// is said why not.
import { useEffect, useRef } from "react";
import { useWardMessages } from "../../i18n";
import { recall } from "../../settings";
import type { AnswerState } from "../../state/conversation/answer";
import { readAloud, stopReading, useReading } from "../../state/speech/aloud";
import { useVoices, voiceFor } from "../../state/speech/voices";
import { spokenOf, unspoken } from "../../text/answer/spoken";
import { noticesOf } from "./notices/Notices";
import "../../styles/answer/speech.css";

interface Props {
  state: Extract<AnswerState, { kind: "complete" }>;
  latest: boolean;
}

export function ReadAloud({ state, latest }: Props) {
  const m = useWardMessages();
  const voices = useVoices();
  const reading = useReading();
  const { answer } = state;
  const notices = noticesOf(state, m).map(({ text, language }) => ({ text, language: language || answer.language }));
  const pieces = spokenOf(answer, notices, m.speech, m);
  const lacking = unspoken(pieces, (language) => voiceFor(voices, language) !== undefined);
  const able = voices.length > 0 && lacking.length === 0 && pieces.length > 0;
  const fresh = state.milliseconds !== null; // asked on this page, not one of earlier
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current || !able || !fresh || !latest || recall("aloud") !== "on") return;
    begun.current = true; // once, and not again when the language of the page changes
    readAloud(answer.id, pieces, voices);
  });
  useEffect(() => {
    if (!latest && reading?.answer === answer.id) stopReading(); // the next question is asked
  }, [latest, reading, answer.id]);
  if (voices.length === 0) return null; // the menu says why
  if (lacking.length > 0)
    return <p className="muted read-aloud">{m.speech.noVoice(lacking.map((one) => languageName(one, m.locale)))}</p>;
  const heard = reading?.answer === answer.id ? reading.state : "silent";
  const reads = heard === "reads";
  return (
    <div className="read-aloud">
      <button
        type="button"
        className="button"
        onClick={() => (reads ? stopReading() : readAloud(answer.id, pieces, voices))}
      >
        {reads ? m.speech.stop : m.speech.read}
      </button>
      <span className="muted">{reads && m.speech.reading}</span>
      {heard === "broke" && (
        <p className="notice serious" role="alert">
          {m.speech.broke}
        </p>
      )}
    </div>
  );
}

const languageName = (language: string, locale: string): string =>
  new Intl.DisplayNames(locale, { type: "language" }).of(new Intl.Locale(language).language) ?? language;
