// Saying by when a document is to be reviewed and by whom, or no more, and that it was read and
// found right as it is.
import { type FormEvent, useState } from "react";
import type { DocumentSummary, PersonalChoice } from "../../../api/types";
import { dayOf, useStaffMessages } from "../../../i18n";
import { useCalled } from "../../../queries/staff/accounts";
import { useReviewed } from "../../../queries/staff/documents";
import { useDelayed } from "../../../queries/useDelayed";
import { Colleague } from "./Colleague";
import { NotKept } from "./Personal";

const LONGEST = 500; // characters: the service's limit

export function StillHolds({ document }: { document: DocumentSummary }) {
  const { id, title, next_review, to_review_by, review_reason } = document;
  const m = useStaffMessages();
  const [until, setUntil] = useState("");
  const [open, setOpen] = useState(false);
  const [to, setTo] = useState(to_review_by);
  const [chosen, setChosen] = useState(to_review_by); // one that is typed may become another
  const [why, setWhy] = useState(review_reason);
  const [holds, setHolds] = useState(false);
  const { mutate, data: kept, error, isPending, reset } = useReviewed(id);
  const unfit = useUnfit(id, open && changed(to, to_review_by) ? to : "", chosen) ?? UNFIT[error?.code ?? ""];
  const tomorrow = new Date();
  tomorrow.setDate(tomorrow.getDate() + 1);
  const send = (personal_data: PersonalChoice): void => {
    const given = { to: changed(to, to_review_by), reason: changed(why, review_reason) };
    mutate({ next_review: until, holds, ...given, personal_data }, { onSuccess: (now) => setWhy(now.review_reason) });
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    send("stop");
  };
  const cancel = (): void =>
    mutate(
      { next_review: null, holds: false, to: null, reason: null, personal_data: "stop" },
      { onSuccess: () => [setUntil(""), setTo(""), setWhy("")] },
    );
  return (
    <details className="still-holds" onToggle={(event) => setOpen(event.currentTarget.open)}>
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
          onChosen={setChosen}
        />
        <label className="document-field">
          {m.find.reviewWhy}
          <input
            maxLength={LONGEST}
            value={why}
            onChange={(event) => {
              setWhy(event.target.value);
              reset();
            }}
          />
        </label>
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
        <button type="submit" className="button" disabled={isPending || unfit !== undefined}>
          {m.admin.save}
        </button>
        {next_review && (
          <button type="button" className="button" disabled={isPending} onClick={cancel}>
            {m.find.reviewNoMore}
          </button>
        )}
        <span role="status">{kept && (kept.next_review ? m.find.reviewKept(kept.to_review_by) : m.find.saved)}</span>
      </form>
      {unfit ? (
        <p className="notice serious" role="alert">
          {unfit === "nobody" ? m.find.noReviewer : m.find.notAReviewer(to.trim())}
        </p>
      ) : (
        <NotKept error={error} onPersonal={send} />
      )}
    </details>
  );
}

type Unfit = "nobody" | "reader";
const UNFIT: Record<string, Unfit | undefined> = { no_such_reader: "nobody", not_a_reviewer: "reader" };

/** Why a review cannot be given to whom these words name; `chosen`: nothing more is typed there. */
function useUnfit(document: string, words: string, chosen: string): Unfit | undefined {
  const name = words.trim();
  const asked = useDelayed(name);
  const { data: called } = useCalled(document, asked);
  if (!called || !name || asked !== name) return undefined;
  if (called.length === 1) return called[0]?.may_review ? undefined : "reader";
  return chosen.trim() === name ? "nobody" : undefined;
}

/** Nothing where it is as it was: that stays, until the document is found to hold. */
const changed = (words: string, before: string): string | null => (words.trim() === before ? null : words.trim());
