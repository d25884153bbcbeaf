// A question that somebody asked, what they were answered or why not, and what is said of that.
import { Suspense, useState } from "react";
import type { PersonalChoice, Reviewed, ReviewVerdict } from "../../../api/types";
import { formatInstant, type StaffMessages, useStaffMessages } from "../../../i18n";
import { spanKey } from "../../../pdf/highlights";
import { functionsOf, nameOf, useFacets } from "../../../queries/documents/facets";
import { useReview } from "../../../queries/staff/reviews";
import { placePath } from "../../../state/window/route";
import { noticesSaid, refusalSaid } from "../../../text/documents/facts";
import { toldApart } from "../../../text/shares";
import { AnswerText } from "../../answer/text/AnswerText";
import { following } from "../../answer/text/following";
import { WhoReads } from "../../owners/WhoReads";
import { Choice } from "../../shared/controls/Choice";
import { NotKept } from "../../shared/document/Personal";
import type { Followed } from "./Opened";

const VERDICTS = ["right", "partly", "wrong", "harmful"] as const;

interface Props {
  asked: Reviewed;
  onFollow(followed: Followed): void;
}

export function Review({ asked, onFollow }: Props) {
  const m = useStaffMessages();
  const { data: facets } = useFacets();
  const asker = nameOf(functionsOf(facets, m), asked.function);
  const facts = [formatInstant(asked.created_at, m), asked.department, asker].filter(Boolean);
  return (
    <li className="card review">
      <h3 lang={asked.language}>{asked.question}</h3>
      {asked.searched !== asked.question && <p className="muted">{m.reviews.searched(asked.searched)}</p>}
      <p className="facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {asked.status === "not_found" ? (
        <Refused asked={asked} />
      ) : (
        asked.status !== "answered" && <p className="missed">{m.reviews.statuses[asked.status]}</p>
      )}
      {asked.text && <Given {...{ asked, onFollow }} />}
      {asked.status === "answered" && !asked.text && <p className="muted">{m.reviews.hidden}</p>}
      {asked.sources.length > 0 && (
        <>
          <h4>{asked.status === "not_found" ? m.quality.nearest : m.reviews.sources}</h4>
          <ul>
            {asked.sources.map(({ document_id, title, version, page }) => (
              <li key={document_id}>
                <a
                  className="link"
                  href={placePath({ document: document_id, page, quotes: quotesOf(asked, document_id) })}
                  onClick={following(() => onFollow({ asked, document: document_id, page, key: null }))}
                >
                  {title}
                </a>{" "}
                {version && <span className="muted">{m.card.version(version)}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
      {asked.reported && <p className="missed">{`${m.quality.reported} ${m.quality.reports[asked.reported]}`}</p>}
      {asked.can_harm && <p className="notice serious">{m.reviews.canHarm}</p>}
      {asked.found && <p className="missed">{m.reviews.found(m.feedback.verdicts[asked.found])}</p>}
      {asked.comments.map((comment) => (
        <p key={comment} className="missed">
          “{comment}”
        </p>
      ))}
      <Form asked={asked} />
    </li>
  );
}

const quotesOf = ({ spans }: Reviewed, document: string): string[] =>
  spans.filter(({ document_id }) => document_id === document).map(({ text }) => text);

/** The answer as its reader saw it, with what stood above it. */
function Given({ asked, onFollow }: Props) {
  const { text, spans, unsupported, notices, language } = asked;
  const m = useStaffMessages();
  return (
    <>
      {noticesSaid(notices, m).map((one) => (
        <p key={one.code + one.text} className="notice calm" lang={one.language || language}>
          {one.text}
        </p>
      ))}
      <div className="review-text">
        <AnswerText
          {...{ text, spans, unsupported, language }}
          id=""
          sources={[]}
          writing={false}
          lacks={undefined}
          onSpan={(span) => onFollow({ asked, document: span.document_id, page: span.page, key: spanKey(span) })}
        />
      </div>
    </>
  );
}

function Form({ asked: { answer_id, sources, review, earlier, reports } }: { asked: Reviewed }) {
  const m = useStaffMessages();
  const own = review?.yours ? review : null; // another's is read below, and not signed anew
  const [verdict, setVerdict] = useState<ReviewVerdict | null>(own?.verdict ?? null);
  const [remark, setRemark] = useState(own?.remark ?? "");
  const before = review && !own ? [review, ...earlier] : earlier;
  const [to, setTo] = useState(""); // the document whose owner reads the remark
  const [reply, setReply] = useState(true); // to who reported the answer
  const { mutate, error, isPending, isSuccess, reset } = useReview(answer_id);
  const lacking = verdict === null || (to !== "" && !remark.trim());
  const save = (personal_data: PersonalChoice): void => {
    const page = sources.find((one) => one.document_id === to)?.page;
    if (verdict !== null)
      mutate(
        {
          verdict,
          remark,
          personal_data,
          document_id: to || null,
          page: page ?? null,
          reply: reply && reports > 0 && remark.trim() !== "",
        },
        {
          onSuccess: (said) => {
            setRemark(said.review?.remark ?? remark);
            setTo("");
          },
        },
      );
  };
  return (
    <form
      className="review-form"
      onChange={() => (isSuccess || error) && reset()}
      onSubmit={(event) => {
        event.preventDefault();
        save("stop");
      }}
    >
      <fieldset>
        <legend>{m.reviews.verdict}</legend>
        {VERDICTS.map((one) => (
          <label key={one} className="judge-choice">
            <input
              type="radio"
              name={`verdict-${answer_id}`}
              checked={verdict === one}
              onChange={() => setVerdict(one)}
            />
            {m.reviews.verdicts[one]}
          </label>
        ))}
      </fieldset>
      <label className="document-field">
        {m.reviews.remark}
        <textarea
          rows={2}
          maxLength={4000}
          value={remark}
          aria-describedby={`told-${answer_id}`}
          onChange={(event) => setRemark(event.target.value)}
        />
      </label>
      <p className="muted" id={`told-${answer_id}`}>
        {m.reviews.told}
      </p>
      {reports > 0 && (
        <label className="judge-choice">
          <input type="checkbox" checked={reply} onChange={(event) => setReply(event.target.checked)} />
          {m.reviews.reply(reports)}
        </label>
      )}
      {typeof review?.sent_to === "string" ? (
        <p className="muted">{m.reviews.sent(review.sent_to)}</p>
      ) : (
        sources.length > 0 && (
          <Choice
            className="document-field"
            label={m.reviews.send}
            value={to}
            none={m.reviews.nobody}
            options={sources.map((one) => [one.document_id, ownerAndTitle(one.owner, one.title)] as const)}
            onValue={setTo}
          />
        )
      )}
      {to !== "" && (
        <p className="muted">
          <Suspense>
            <WhoReads document={to} named={ownerOf(sources, to)} />
          </Suspense>{" "}
          {m.reviews.sendHelp}
        </p>
      )}
      <p className="judge-foot">
        <button type="submit" className="button primary" disabled={lacking || isPending}>
          {m.quality.save}
        </button>
        <span role="status">{isSuccess && m.reviews.saved}</span>
        {own && <span className="muted">{m.reviews.by(own.judged_by, formatInstant(own.judged_at, m))}</span>}
      </p>
      {before.length > 0 && (
        <>
          <h4>{m.reviews.earlier}</h4>
          <ul>
            {before.map(({ verdict: said, remark: words, judged_by, judged_at }) => (
              <li key={judged_at}>
                {m.reviews.verdicts[said]}{" "}
                <span className="muted">{m.reviews.by(judged_by, formatInstant(judged_at, m))}</span>
                {words && <p className="missed">“{words}”</p>}
              </li>
            ))}
          </ul>
        </>
      )}
      <NotKept error={error} words={error?.code === "conflict" ? m.reviews.sentAlready : undefined} onPersonal={save} />
    </form>
  );
}

const ownerOf = (sources: Reviewed["sources"], document: string): string =>
  sources.find(({ document_id }) => document_id === document)?.owner ?? "";

const ownerAndTitle = (owner: string, title: string): string => (owner ? `${owner}: ${title}` : title);

/** Why, as its asker reads it, and behind that how it was decided. */
function Refused({ asked: { refused, notices, language } }: { asked: Reviewed }) {
  const m = useStaffMessages();
  const { by = "" } = refused ?? {};
  const said = refusalSaid(noticesSaid(notices, m));
  const decided = refused && [m.reviews.refused[by] ?? m.reviews.decided[by], chances(refused, m)].filter(Boolean);
  return (
    <div className="missed">
      {said.map((one) => (
        <p key={one.code} lang={one.language || language}>
          {one.text}
        </p>
      ))}
      {said.length === 0 && <p>{m.reviews.refusedUnsure}</p>}
      {decided && decided.length > 0 && (
        <details>
          <summary className="link">{m.reviews.how}</summary>
          <p className="muted">{decided.join(" ")}</p>
        </details>
      )}
    </div>
  );
}

function chances({ sure, needed }: NonNullable<Reviewed["refused"]>, m: StaffMessages): string {
  if (sure == null || needed == null || sure >= needed) return ""; // it was not for this
  return m.reviews.sure(...toldApart(sure, needed, m.locale));
}
