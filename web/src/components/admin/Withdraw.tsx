// Taking a document out, asked once more, with a reason for who opens it later; and that reason,
// said or corrected afterwards.
import { type ReactNode, useState } from "react";
import type { ApiError } from "../../api/errors";
import type { DocumentSummary, PersonalChoice } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { useExplained } from "../../queries/staff/documents";
import { Confirm } from "../shared/controls/Confirm";
import { NotKept } from "../shared/document/Personal";

const LONGEST = 500; // characters: the service's limit

export interface Reason {
  reason: string;
  personal_data: PersonalChoice;
}

interface Props {
  label: string;
  question: string;
  yes: string;
  error: ApiError | null; // of the last try
  onYes(why: Reason): void;
  onReason(): void; // it is another
}

export function Withdraw({ error, onYes, onReason, ...asked }: Props) {
  const m = useStaffMessages();
  const [none, setNone] = useState(false); // there is a reason to give none
  return (
    <Why {...{ error, onReason }} onSend={onYes}>
      {(field, reason, send) => (
        <Confirm {...asked} disabled={!none && !reason} onYes={send}>
          {field}
          {!reason && (
            <label className="bulk-all">
              <input type="checkbox" checked={none} onChange={(event) => setNone(event.target.checked)} />
              {m.admin.noReason}
            </label>
          )}
        </Confirm>
      )}
    </Why>
  );
}

export function WithdrawalReason({ document: { id, title, withdrawn_reason } }: { document: DocumentSummary }) {
  const m = useStaffMessages();
  const { mutate, error, isPending, isSuccess, reset } = useExplained(id);
  return (
    <details className="still-holds">
      <summary className="link">
        {withdrawn_reason ? m.admin.otherWhy : m.admin.sayWhy}
        <span className="sr-only">: {title}</span>
      </summary>
      <Why key={withdrawn_reason} begins={withdrawn_reason} {...{ error }} onReason={reset} onSend={mutate}>
        {(field, reason, send) => (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              send();
            }}
          >
            {field}
            <button type="submit" className="button" disabled={isPending || !reason}>
              {m.admin.save}
            </button>
            <span role="status">{isSuccess && m.find.saved}</span>
          </form>
        )}
      </Why>
    </details>
  );
}

interface WhyProps {
  begins?: string;
  error: ApiError | null; // of the last try
  onReason(): void; // it is another
  onSend(why: Reason): void;
  children(field: ReactNode, reason: string, send: () => void): ReactNode;
}

/** The reason, in words that are kept once their writer saw what is left of them. */
function Why({ begins = "", error, onReason, onSend, children }: WhyProps) {
  const m = useStaffMessages();
  const [words, setWords] = useState(begins);
  const reason = words.trim();
  const send = (personal_data: PersonalChoice): void => onSend({ reason, personal_data });
  const field = (
    <label className="document-field">
      {m.admin.whyWithdrawn}
      <input
        maxLength={LONGEST}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          onReason();
        }}
      />
    </label>
  );
  return (
    <>
      {children(field, reason, () => send("stop"))}
      <NotKept error={error} onPersonal={send} />
    </>
  );
}
