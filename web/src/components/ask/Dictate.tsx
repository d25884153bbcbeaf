// A question that is spoken: the words come into the box, where they are read over and sent by
// hand. A number that was misheard is a wrong dose, so nothing is asked by voice alone.
import { useEffect, useRef, useState } from "react";
import { useWardMessages } from "../../i18n";
import { stopReading } from "../../state/speech/aloud";
import { type Dictation, dictationIn, install, listen } from "../../state/speech/dictation";
import "../../styles/answer/speech.css";

interface Props {
  question: string;
  onQuestion(question: string): void;
}

type State = "idle" | "listening" | "heard" | "installing" | { failed: string };

export function Dictate({ question, onQuestion }: Props) {
  const m = useWardMessages();
  const [dictation, setDictation] = useState<Dictation | null>(null);
  const [state, setState] = useState<State>("idle");
  const stop = useRef<(() => void) | null>(null);
  useEffect(() => {
    let here = true;
    void dictationIn(m.locale).then((found) => here && setDictation(found));
    return () => {
      here = false;
      stop.current?.();
    };
  }, [m.locale]);
  if (!dictation || dictation.availability === "unavailable") return null; // the menu says why
  const { language, availability } = dictation;
  const start = (): void => {
    stopReading(); // else the microphone hears the answer
    const before = question.trim();
    let words = "";
    stop.current = listen(language, {
      onWords: (heard) => {
        words = heard.trim();
        onQuestion([before, words].filter(Boolean).join(" "));
      },
      onEnd: (error) => {
        stop.current = null;
        if (error && error !== "aborted") setState({ failed: error });
        else setState(words ? "heard" : { failed: "no-speech" });
      },
    });
    setState(stop.current ? "listening" : { failed: "service-not-allowed" });
  };
  const fetchIt = async (): Promise<void> => {
    setState("installing");
    const ready = await install(language);
    setDictation(await dictationIn(m.locale));
    setState(ready ? "idle" : { failed: "not-installed" });
  };
  const ready = availability === "available";
  const listening = state === "listening";
  return (
    <div className="dictation">
      {ready ? (
        <button
          type="button"
          className="button"
          aria-pressed={listening}
          onClick={() => (listening ? stop.current?.() : start())}
        >
          {listening ? m.speech.stopListening : m.speech.dictate}
        </button>
      ) : (
        <button
          type="button"
          className="button"
          disabled={state === "installing" || availability === "downloading"}
          onClick={() => void fetchIt()}
        >
          {m.speech.install}
        </button>
      )}
      <span className="muted" role="status">
        {!ready && typeof state === "string" && (state === "installing" ? m.speech.installing : m.speech.installHelp)}
        {listening && m.speech.listening}
        {state === "heard" && m.speech.heard}
        {typeof state === "object" && (m.speech.failures[state.failed] ?? m.speech.failures.other)}
      </span>
    </div>
  );
}
