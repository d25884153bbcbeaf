// A question to an owner, or a report: what it is about, what was said, and what became of it.
import type { ReactNode } from "react";
import type { OwnerQuestion } from "../../api/types";
import { formatMoment, type OwnerMessages, useOwnerMessages } from "../../i18n";
import { askPath, placePath } from "../../state/window/route";
import { Words } from "../shared/document/Words";

interface Props {
  question: OwnerQuestion;
  asker?: boolean; // it is shown to who asked
  children?: ReactNode; // what can be done with it
}

export function Question({ question, asker = false, children }: Props) {
  const m = useOwnerMessages();
  const { id, title, language, kind, text, page, outcome, reply, replied_at, replied_as, news, quotes, can_harm } =
    question;
  const state = outcome ? m.inbox.outcomes[outcome] : m.inbox.open;
  const version = asker && question.current_id ? question.current_id : question.document_id;
  return (
    <li className="card owner-question" id={asker ? `asked-${id}` : id} tabIndex={-1}>
      <h4 className="document-title">
        {m.inbox.kinds[kind]}: {state} {asker && news && <strong>({m.inbox.unseen})</strong>}
      </h4>
      {can_harm && <p className="notice serious">{m.inbox.canHarm}</p>}
      <p className="facts">
        {factsOf(question, asker, m).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {version !== null && (
        <p>
          {m.inbox.about}{" "}
          {title ? (
            <a
              className="link"
              href={placePath({ document: version, page: page ?? 1, quotes })}
              lang={language || undefined}
            >
              {title}
            </a>
          ) : (
            m.inbox.hidden
          )}
        </p>
      )}
      <p className="said-text">
        <Words text={text} />
      </p>
      <Answered question={question} asker={asker} />
      {replied_at && (reply || replied_as !== null) && (
        <div className="reply">
          <p className="muted">
            {m.inbox.replied(formatMoment(replied_at, m), replied_as, replied_as === question.passed_to)}
          </p>
          {reply && <p className="said-text">{reply}</p>}
        </div>
      )}
      {asker && question.changed_at && (
        <p className="notice">
          {question.current_id
            ? m.inbox.newer(formatMoment(question.changed_at, m))
            : m.inbox.gone(formatMoment(question.changed_at, m))}
        </p>
      )}
      {asker && <Whose question={question} />}
      {children}
    </li>
  );
}

/** To who asked: that it is not with whom they think. */
function Whose({ question }: { question: OwnerQuestion }) {
  const m = useOwnerMessages();
  const why = strandedWords(question, m);
  if (!why) return null;
  return (
    <p className="muted">
      {why} {(!question.owner_known || question.unattended) && m.inbox.withQuality}
    </p>
  );
}

/** Why it is not with whom it was sent to. Empty: it is, or it is answered. */
export function strandedWords(question: OwnerQuestion, m: OwnerMessages): string {
  const { outcome, owner, owner_known, passed_to, nobody_left, unattended } = question;
  if (outcome) return "";
  if (nobody_left) return m.inbox.nobodyLeft;
  if (unattended) return m.inbox.unattended;
  return owner_known || passed_to ? "" : m.inbox.unowned(owner);
}

/**
 * Which question was asked, and what was shown of the document: without these nobody can mend it.
 */
function Answered({ question: { asked, quotes, text, answer_id, language }, asker }: Omit<Props, "children">) {
  const m = useOwnerMessages();
  const shown = quotes.filter((quote) => !text.includes(quote.trim()));
  if (!asked) return null;
  return (
    <div className="owner-asked">
      <p>
        {m.inbox.askedThen} <q>{asked}</q>{" "}
        <a className="link" href={asker && answer_id ? `/a/${answer_id}` : askPath(asked)}>
          {asker ? m.inbox.seeAnswer : m.inbox.askAgain}
        </a>
      </p>
      {shown.length > 0 && (
        <>
          <p className="muted">{shown.length < quotes.length ? m.inbox.quotedToo : m.inbox.quoted}</p>
          <blockquote className="said-text" lang={language || undefined}>
            <Words text={shown.join("\n")} />
          </blockquote>
        </>
      )}
    </div>
  );
}

function factsOf(question: OwnerQuestion, asker: boolean, m: OwnerMessages): string[] {
  const {
    function: work,
    department,
    page,
    created_at,
    owner,
    owner_known,
    passed_to,
    nobody_left,
    outcome,
  } = question;
  const who = [work, department].filter(Boolean).join(", ");
  return [
    m.inbox.on(formatMoment(created_at, m)),
    !asker && who && m.inbox.from(who),
    page !== null && m.inbox.page(page),
    passed_to && !nobody_left && m.inbox.passedTo(passed_to),
    owner && (owner_known || passed_to || outcome) && m.card.owner(owner), // else one sentence says both
  ].filter((fact): fact is string => typeof fact === "string" && fact !== "");
}
