// Questions to the owners of documents: what waits for this reader, and what became of what they
// asked.
import { useEffect, useId, useRef } from "react";
import type { DocumentSummary, Gap, OwnerQuestion } from "../../api/types";
import { formatDay, useOwnerMessages } from "../../i18n";
import { useAsked, useSeen, useWork } from "../../queries/owners";
import { placePath } from "../../state/window/route";
import { Problem } from "../shared/controls/Problem";
import { Staff } from "../shared/frame/Staff";
import { Question } from "./Question";
import { ToAnswer } from "./ToAnswer";
import "../../styles/answer/owner.css";

export function Inbox() {
  const m = useOwnerMessages();
  const work = useWork();
  const asked = useAsked();
  const questions = asked.data?.questions;
  useSeenOnce(questions !== undefined);
  useAtLink(work.data !== undefined && questions !== undefined);
  const toAnswer = work.data?.questions ?? [];
  return (
    <Staff page="inbox" lead={m.inbox.lead}>
      <Problem code={(work.error ?? asked.error)?.code} />
      {PARTS.map((part) => (
        <Work key={part} heading={m.inbox.parts[part]} questions={toAnswer.filter((one) => partOf(one) === part)} />
      ))}
      <ToReview documents={work.data?.to_review ?? []} />
      <Unanswered gaps={work.data?.unanswered ?? []} />
      <section className="owner-section" aria-labelledby="asked-by-you">
        <h3 id="asked-by-you">{m.inbox.asked}</h3>
        {questions?.length === 0 && <p className="empty-list">{m.inbox.none}</p>}
        <ul className="cards">
          {questions?.map((one) => (
            <Question key={one.id} question={one} asker />
          ))}
        </ul>
      </section>
    </Staff>
  );
}

const PARTS = ["open", "promised", "done"] as const;

/** What was answered is no work any more, but for a document that is still to be corrected. */
function partOf({ outcome, replied_at, changed_at }: OwnerQuestion): (typeof PARTS)[number] {
  if (outcome === null) return "open";
  return outcome === "mended" && (changed_at ?? "") <= (replied_at ?? "") ? "promised" : "done";
}

function Work({ heading, questions }: { heading: string; questions: readonly OwnerQuestion[] }) {
  const id = useId();
  if (questions.length === 0) return null;
  return (
    <section className="owner-section" aria-labelledby={id}>
      <h3 id={id}>{heading}</h3>
      <ul className="cards">
        {questions.map((one) => (
          <ToAnswer key={one.id} question={one} />
        ))}
      </ul>
    </section>
  );
}

/** Documents for this reader to review, the earliest first. */
function ToReview({ documents }: { documents: readonly DocumentSummary[] }) {
  const m = useOwnerMessages();
  if (documents.length === 0) return null;
  return (
    <section className="owner-section" aria-labelledby="to-review">
      <h3 id="to-review">{m.inbox.toReview}</h3>
      <ul className="cards">
        {documents.map(({ id, title, language, next_review, to_review_by, reviewer_left, review_reason }) => (
          <li key={id} className="card">
            <a className="link" href={placePath({ document: id, page: 1, quotes: [] })} lang={language || undefined}>
              {title}
            </a>
            <p className="facts">
              {next_review && <span>{m.inbox.reviewBy(formatDay(next_review, m))}</span>}
              {!to_review_by && !reviewer_left && <span>{m.inbox.nobodys}</span>}
            </p>
            {reviewer_left && <p className="caution">{m.inbox.reviewerLeft(to_review_by)}</p>}
            {review_reason && <p className="said-text">{m.inbox.reviewWhy(review_reason)}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Unanswered({ gaps }: { gaps: readonly Gap[] }) {
  const m = useOwnerMessages();
  if (gaps.length === 0) return null;
  return (
    <section className="owner-section" aria-labelledby="in-vain">
      <h3 id="in-vain">{m.inbox.unanswered}</h3>
      <p className="muted">{m.inbox.unansweredLead}</p>
      <ul className="cards">
        {gaps.map((gap) => (
          <li key={`${gap.department} ${gap.question}`} className="card">
            <p>{gap.question}</p>
            <p className="facts">
              <span>{m.inbox.times(gap.times)}</span>
              {gap.named.length === 0 && gap.nearest[0] && (
                <span>
                  {m.inbox.nearest} {gap.nearest[0].title}
                </span>
              )}
              {gap.missing.document && <span>{m.inbox.missing(gap.missing.document)}</span>}
              {gap.missing.procedure && gap.named.length === 0 && <span>{m.inbox.exists(gap.missing.procedure)}</span>}
            </p>
            {gap.named.map(({ document, title, times }) => (
              <p key={document}>{m.inbox.named(title, times)}</p>
            ))}
            {gap.comments.map((comment) => (
              <p key={comment} className="muted">
                “{comment}”
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is shown is seen, once: the marks stay until the page is loaded again. */
function useSeenOnce(shown: boolean): void {
  const { mutate: see } = useSeen();
  const told = useRef(false);
  useEffect(() => {
    if (!shown || told.current) return;
    told.current = true;
    see();
  }, [shown, see]);
}

/** A mail's link names a question: it comes into view as soon as it is drawn. */
function useAtLink(drawn: boolean): void {
  useEffect(() => {
    const named = location.hash && document.getElementById(location.hash.slice(1));
    if (!drawn || !named) return;
    named.scrollIntoView();
    named.focus();
  }, [drawn]);
}
