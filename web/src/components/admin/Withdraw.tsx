// Taking a document out, asked once more, with a reason for who opens it later; and that reason,
// said or corrected afterwards.
import { type FormEvent, useState } from "react";
import type { DocumentSummary } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { useRetire } from "../../queries/staff/documents";
import { Confirm } from "../shared/controls/Confirm";
import { Problem } from "../shared/controls/Problem";

const LONGEST = 500; // characters: the service's limit

interface Props {
  label: string;
  question: string;
  yes: string;
  onYes(reason: string): void;
}

export function Withdraw({ onYes, ...asked }: Props) {
  const m = useStaffMessages();
  const [reason, setReason] = useState("");
  return (
    <Confirm {...asked} onYes={() => onYes(reason.trim())}>
      <label className="document-field">
        {m.admin.why}
        <input maxLength={LONGEST} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
    </Confirm>
  );
}

export function WithdrawalReason({ document: { id, title, withdrawn_reason } }: { document: DocumentSummary }) {
  const m = useStaffMessages();
  const [reason, setReason] = useState(withdrawn_reason);
  const { mutate, error, isPending, isSuccess, reset } = useRetire();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ id, reason: reason.trim() }, { onSuccess: (said) => setReason(said.withdrawn_reason) });
  };
  return (
    <details className="still-holds">
      <summary className="link">
        {withdrawn_reason ? m.admin.otherWhy : m.admin.sayWhy}
        <span className="sr-only">: {title}</span>
      </summary>
      <form onSubmit={save}>
        <label className="document-field">
          {m.admin.whyWithdrawn}
          <input
            required
            maxLength={LONGEST}
            value={reason}
            onChange={(event) => {
              setReason(event.target.value);
              reset();
            }}
          />
        </label>
        <button type="submit" className="button" disabled={isPending || !reason.trim()}>
          {m.admin.save}
        </button>
        <span role="status">{isSuccess && m.find.saved}</span>
      </form>
      <Problem code={error?.code} />
    </details>
  );
}
