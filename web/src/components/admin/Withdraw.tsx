// Taking a document out, asked once more, with a reason for who opens it later; and that reason,
// said or corrected afterwards.
import { type FormEvent, useState } from "react";
import type { ApiError } from "../../api/errors";
import type { DocumentSummary, PersonalChoice } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { useRetire } from "../../queries/staff/documents";
import { NotKept } from "../owners/Personal";
import { Confirm } from "../shared/controls/Confirm";

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
  const [reason, setReason] = useState("");
  const [none, setNone] = useState(false); // there is a reason to give none
  const send = (personal_data: PersonalChoice): void => onYes({ reason: reason.trim(), personal_data });
  return (
    <>
      <Confirm {...asked} disabled={!none && !reason.trim()} onYes={() => send("stop")}>
        <label className="document-field">
          {m.admin.whyWithdrawn}
          <input
            maxLength={LONGEST}
            value={reason}
            onChange={(event) => {
              setReason(event.target.value);
              onReason();
            }}
          />
        </label>
        {!reason.trim() && (
          <label className="bulk-all">
            <input type="checkbox" checked={none} onChange={(event) => setNone(event.target.checked)} />
            {m.admin.noReason}
          </label>
        )}
      </Confirm>
      <NotKept error={error} onPersonal={send} />
    </>
  );
}

export function WithdrawalReason({ document: { id, title, withdrawn_reason } }: { document: DocumentSummary }) {
  const m = useStaffMessages();
  const [reason, setReason] = useState(withdrawn_reason);
  const { mutate, error, isPending, isSuccess, reset } = useRetire();
  const send = (personal_data: PersonalChoice): void =>
    mutate({ id, reason: reason.trim(), personal_data }, { onSuccess: (said) => setReason(said.withdrawn_reason) });
  const save = (event: FormEvent): void => {
    event.preventDefault();
    send("stop");
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
      <NotKept error={error} onPersonal={send} />
    </details>
  );
}
