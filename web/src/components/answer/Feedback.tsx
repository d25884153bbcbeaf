// Under an answer: was it found, and in which source, or what was missing? What is said here
// becomes material of judged sets and of the gap report.
import { useState } from "react";
import type { Answer, Verdict } from "../../api/types";
import { failureWords, useWardMessages } from "../../i18n";
import { useFeedback } from "../../queries/feedback";
import { LACKS, VERDICTS } from "../../state/conversation/judgement";
import { ReportAnswer } from "../owners/ReportAnswer";

type Missing = (typeof LACKS)[number];

export function Feedback({ answer }: { answer: Answer }) {
  const m = useWardMessages();
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [held, setHeld] = useState<number | null>(null);
  const [missing, setMissing] = useState<Missing | null>(null);
  const { mutate: send, error } = useFeedback(answer.id);
  const asks = verdict !== null && verdict !== "no" && answer.sources.length > 0;
  return (
    <fieldset className="feedback" aria-label={m.feedback.found}>
      <span>{m.feedback.found}</span>
      {VERDICTS.map((one) => (
        <button
          key={one}
          type="button"
          className="link"
          aria-pressed={verdict === one}
          onClick={() => one !== verdict && send({ found: one }, { onSuccess: () => setVerdict(one) })}
        >
          {m.feedback.verdicts[one]}
        </button>
      ))}
      {asks && (
        <>
          <span>{m.feedback.which}</span>
          {answer.sources.map(({ rank, title, document_id, page }) => (
            <button
              key={rank}
              type="button"
              className="link"
              title={title}
              aria-label={m.feedback.heldBy(rank, title)}
              aria-pressed={held === rank}
              onClick={() => rank !== held && send({ document_id, page }, { onSuccess: () => setHeld(rank) })}
            >
              {rank}
            </button>
          ))}
        </>
      )}
      {verdict === "no" && (
        <>
          <span>{m.feedback.missing}</span>
          {LACKS.map((one) => (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={missing === one}
              onClick={() => one !== missing && send({ missing: one }, { onSuccess: () => setMissing(one) })}
            >
              {m.feedback.lacks[one]}
            </button>
          ))}
        </>
      )}
      <span className="said" aria-live="polite">
        {error ? failureWords(error.code, m) : verdict && (verdict === "no" ? m.feedback.seen : m.feedback.thanks)}
      </span>
      <ReportAnswer answer={answer} />
    </fieldset>
  );
}
