// The question seems to hold what identifies a patient: nothing was sent on yet, and its asker
// decides.
import { useEffect, useRef } from "react";
import type { PersonalChoice } from "../../../api/types";
import { useWardMessages } from "../../../i18n";
import type { AnswerState } from "../../../state/conversation/answer";

interface Props {
  state: Extract<AnswerState, { kind: "failed" }>;
  onPersonal(question: string, personal: PersonalChoice): void;
}

export function Identity({ state, onPersonal }: Props) {
  const m = useWardMessages();
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const { question } = state.draft;
  const { rows = [], instead = "" } = state.refusal ?? {};
  const mayKeep = state.code === "personal_data";
  return (
    <section className="identity" aria-label={m.personal.title}>
      <ul>
        {rows.map(({ code, values }) => (
          <li key={values?.start}>
            {m.personal.kinds[code] ?? m.personal.other}: <q>{values?.text}</q>
          </li>
        ))}
      </ul>
      <p>
        {m.personal.instead} <q>{instead}</q>
      </p>
      <p className="choices">
        <button type="button" className="button primary" ref={first} onClick={() => onPersonal(question, "remove")}>
          {m.personal.remove}
        </button>
        {mayKeep && (
          <button type="button" className="button" onClick={() => onPersonal(question, "keep")}>
            {m.personal.keep}
          </button>
        )}
      </p>
    </section>
  );
}
