// Where the question is typed. Enter asks, Shift+Enter makes a new line.
import { type FormEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useState } from "react";
import { keptQuestion } from "../../api/signedOut";
import type { Mode } from "../../api/types";
import { useMessages } from "../../i18n";
import { useSession } from "../../queries/session";
import { Choice } from "../shared/controls/Choice";
import { lazyPart } from "../shared/controls/lazyPart";
import { Optional } from "../shared/controls/Optional";

const Dictate = lazyPart(async () => (await import("./Dictate")).Dictate);

interface Props {
  busy: boolean;
  input: RefObject<HTMLTextAreaElement | null>;
  edited?: { question: string } | null; // an earlier question, to be changed and asked anew; another object each time
  onAsk(question: string, mode: Mode | null): void;
  onStop(): void;
  children?: ReactNode; // what stands between the mode and the button
}

const LONGEST = 2000; // the service's limit
const MODES = ["default", "verbatim", "answer", "sources"] as const;
type ModeName = (typeof MODES)[number];

export function QuestionBox({ busy, input, edited, onAsk, onStop, children }: Props) {
  const m = useMessages();
  const [question, setQuestion] = useState(keptQuestion);
  const [mode, setMode] = useState<ModeName>("default"); // of this page: the next person's is not the last one's
  const { written_answers: writes, hands_free } = useSession().data ?? {};
  useEffect(() => {
    if (!edited) return;
    setQuestion(edited.question);
    input.current?.focus();
  }, [edited, input]);
  const over = question.trim().length - LONGEST;
  const ask = (event?: FormEvent): void => {
    event?.preventDefault();
    if (busy || question.trim() === "" || over > 0) return;
    onAsk(question.trim(), mode === "default" ? null : mode);
    setQuestion("");
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    ask();
  };
  return (
    <form className={busy ? "ask-band busy" : "ask-band"} onSubmit={ask}>
      <div className="ask">
        <label className="sr-only" htmlFor="question">
          {m.ask.label}
        </label>
        <textarea
          id="question"
          ref={input}
          rows={1}
          value={question}
          aria-invalid={over > 0}
          placeholder={m.ask.placeholder}
          onChange={(event) => setQuestion(event.target.value)}
          onKeyDown={keyDown}
          // biome-ignore lint/a11y/noAutofocus: the page is for asking; nothing stands before the box
          autoFocus
        />
        {/* Said, not cut off: a question that lost its end is another question. */}
        <p className="too-long" aria-live="polite">
          {over > 0 && m.ask.tooLong(over, LONGEST)}
        </p>
        <div className="ask-foot">
          <Choice
            className="mode"
            label={<span className="sr-only">{m.ask.mode}</span>}
            value={mode}
            options={MODES.filter((one) => one !== "answer" || writes).map((one) => [one, m.ask.modes[one]] as const)}
            onValue={(choice) => setMode(choice || "default")}
          />
          {children}
          {busy ? (
            // where the question was sent: the second click of a double one is not for it
            <button type="button" className="button" onClick={({ detail }) => detail < 2 && onStop()}>
              {m.ask.stop}
            </button>
          ) : (
            <button type="submit" className="button primary" disabled={question.trim() === "" || over > 0}>
              {m.ask.send}
            </button>
          )}
        </div>
        {hands_free && (
          <Optional fallback={null}>
            <Dictate question={question} onQuestion={setQuestion} />
          </Optional>
        )}
      </div>
    </form>
  );
}
