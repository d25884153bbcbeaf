// Under an answer of a test session: was it found, and which sources held it, with page and words.
import { useReducer, useState } from "react";
import type { Answer, Source } from "../../api/types";
import { refusalWords, useStaffMessages } from "../../i18n";
import { useJudge } from "../../queries/staff/judged";
import {
  type Asker,
  type DraftEvent,
  EMPTY,
  isPlaced,
  type Mark,
  quotedFrom,
  reduceDraft,
  saysSomething,
  toSend,
  VERDICTS,
} from "../../state/conversation/judgement";

interface Props {
  answer: Answer;
  set: string;
  asker: Asker;
}

export function JudgePanel({ answer, set, asker }: Props) {
  const m = useStaffMessages();
  const [draft, dispatch] = useReducer(reduceDraft, EMPTY);
  const [said, setSaid] = useState<{ text: string; wrong: boolean } | null>(null);
  const change = (event: DraftEvent): void => {
    setSaid(null);
    dispatch(event);
  };
  const judge = useJudge();
  const save = (): void =>
    judge.mutate(
      { set, answerId: answer.id, body: toSend(draft, answer, asker) },
      {
        onSuccess: () =>
          setSaid({ text: isPlaced(draft) ? m.quality.saved(set) : m.quality.savedOpen(set), wrong: false }),
        onError: (error) => setSaid({ text: refusalWords(error, m), wrong: true }),
      },
    );
  return (
    <section className="judge" aria-label={m.quality.judge}>
      <fieldset>
        <legend>{m.feedback.found}</legend>
        {VERDICTS.map((verdict) => (
          <label key={verdict} className="judge-choice">
            <input
              type="radio"
              name={`found-${answer.id}`}
              checked={draft.found === verdict}
              onChange={() => change({ type: "found", verdict })}
            />
            {m.feedback.verdicts[verdict]}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{m.quality.held}</legend>
        {answer.sources.map((source) => (
          <SourceMark
            key={source.rank}
            source={source}
            mark={draft.marks.find((mark) => mark.rank === source.rank)}
            words={quotedFrom(answer, source.rank)}
            change={change}
          />
        ))}
        <label className="judge-choice">
          <input
            type="checkbox"
            checked={draft.noAnswer}
            onChange={(event) => change({ type: "none", on: event.target.checked })}
          />
          {m.quality.none}
        </label>
      </fieldset>
      <p className="judge-foot">
        <button type="button" className="button primary" disabled={!saysSomething(draft)} onClick={save}>
          {m.quality.save}
        </button>
        <span role="status" className={said?.wrong ? "wrong" : "muted"}>
          {said?.text}
        </span>
      </p>
    </section>
  );
}

interface MarkProps {
  source: Source;
  mark: Mark | undefined;
  words: string;
  change(event: DraftEvent): void;
}

function SourceMark({ source, mark, words, change }: MarkProps) {
  const m = useStaffMessages();
  const edit = (part: Partial<Mark>): void => change({ type: "edit", rank: source.rank, change: part });
  return (
    <div className="judge-source">
      <label className="judge-choice">
        <input
          type="checkbox"
          checked={mark !== undefined}
          onChange={(event) => change({ type: "mark", source, words, on: event.target.checked })}
        />
        {source.rank}. {source.title}, {m.card.page(source.page)}
      </label>
      {mark && (
        <div className="judge-place">
          <label>
            {m.quality.page}
            <input type="number" min={1} value={mark.page} onChange={(event) => edit({ page: event.target.value })} />
          </label>
          <label className="judge-words">
            {m.quality.words}
            <textarea rows={2} value={mark.span} onChange={(event) => edit({ span: event.target.value })} />
          </label>
          <button
            type="button"
            className="link"
            onMouseDown={(event) => event.preventDefault()} // a click elsewhere would take the selection away
            onClick={() => edit({ span: (window.getSelection()?.toString() ?? "").trim() || mark.span })}
          >
            {m.quality.takeSelection}
          </button>
        </div>
      )}
    </div>
  );
}
