// Saying by when a document is to be reviewed and by whom, or no more, and that it was read and
// found right as it is.
import { type FormEvent, useState } from "react";
import type { DocumentSummary } from "../../../api/types";
import { dayOf, useStaffMessages } from "../../../i18n";
import { useReviewed } from "../../../queries/staff/documents";
import { Problem } from "../controls/Problem";
import { Colleague } from "./Colleague";

export function StillHolds({ document }: { document: DocumentSummary }) {
  const { id, title, next_review, to_review_by } = document;
  const m = useStaffMessages();
  const [until, setUntil] = useState("");
  const [to, setTo] = useState(to_review_by);
  const [holds, setHolds] = useState(false);
  const { mutate, data: kept, error, isPending, reset } = useReviewed(id);
  const tomorrow = new Date();
  tomorrow.setDate(tomorrow.getDate() + 1);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ next_review: until, holds, to: to.trim() === to_review_by ? null : to.trim() });
  };
  const cancel = (): void =>
    mutate({ next_review: null, holds: false, to: null }, { onSuccess: () => [setUntil(""), setTo("")] });
  return (
    <details className="still-holds">
      <summary className="link">
        {m.find.review}
        <span className="sr-only">: {title}</span>
      </summary>
      <form onSubmit={save}>
        <label className="document-field">
          {m.find.nextReview}
          <input
            type="date"
            required
            min={dayOf(tomorrow)}
            value={until}
            onChange={(event) => {
              setUntil(event.target.value);
              reset();
            }}
          />
        </label>
        <Colleague
          label={m.find.reviewTo}
          className="document-field"
          document={id}
          reviewing
          value={to}
          onValue={(name) => {
            setTo(name);
            reset();
          }}
        />
        <label className="judge-choice">
          <input
            type="checkbox"
            checked={holds}
            onChange={({ target }) => {
              setHolds(target.checked);
              reset();
            }}
          />{" "}
          {m.find.stillHolds}
        </label>
        <button type="submit" className="button" disabled={isPending}>
          {m.admin.save}
        </button>
        {next_review && (
          <button type="button" className="button" disabled={isPending} onClick={cancel}>
            {m.find.reviewNoMore}
          </button>
        )}
        <span role="status">{kept && (kept.next_review ? m.find.reviewKept(kept.to_review_by) : m.find.saved)}</span>
      </form>
      {error?.status === 404 || error?.code === "not_a_reviewer" ? (
        <p className="notice serious" role="alert">
          {error.status === 404 ? m.find.noReviewer : m.find.notAReviewer(to.trim())}
        </p>
      ) : (
        <Problem code={error?.code} />
      )}
    </details>
  );
}
