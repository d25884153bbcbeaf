// Under an answer: was it found, and in which source? What is said here becomes material of judged sets and of the gap report.
import { useState } from "react";
import { ApiError } from "../../api/client";
import { giveFeedback } from "../../api/quality";
import type { Answer } from "../../api/types";
import { useMessages } from "../../i18n";
import type { Verdict } from "../../state/judgement";

const VERDICTS = ["yes", "partly", "no"] as const;

export function Feedback({ answer }: { answer: Answer }) {
  const m = useMessages();
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [held, setHeld] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const send = async (body: Parameters<typeof giveFeedback>[1], done: () => void): Promise<void> => {
    try {
      await giveFeedback(answer.id, body);
      setError(null);
      done();
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.code : "internal");
    }
  };
  const asks = verdict !== null && verdict !== "no" && answer.sources.length > 0;
  return (
    <fieldset className="feedback" aria-label={m.quality.found}>
      <span>{m.quality.found}</span>
      {VERDICTS.map((one) => (
        <button
          key={one}
          type="button"
          className="link"
          aria-pressed={verdict === one}
          onClick={() => void send({ found: one }, () => setVerdict(one))}
        >
          {m.quality.verdicts[one]}
        </button>
      ))}
      {asks && (
        <>
          <span>{m.quality.which}</span>
          {answer.sources.map(({ rank, title, document_id, page }) => (
            <button
              key={rank}
              type="button"
              className="link"
              title={title}
              aria-label={m.quality.heldBy(rank, title)}
              aria-pressed={held === rank}
              onClick={() => void send({ document_id, page }, () => setHeld(rank))}
            >
              {rank}
            </button>
          ))}
        </>
      )}
      <span className="said" aria-live="polite">
        {error ? (m.errors[error] ?? m.errors.internal) : verdict && m.quality.thanks}
      </span>
    </fieldset>
  );
}
