// What was asked in vain, by department. For quality staff.
import { useState } from "react";
import type { Gap, GapReport } from "../../api/types";
import { dayOf, formatMoment, useLanguage, useStaffMessages } from "../../i18n";
import { gapsCsvUrl, useGaps } from "../../queries/staff/gaps";
import { LACKS } from "../../state/conversation/judgement";
import { AskOwner, PassOn } from "../owners/lazily";
import { Choice } from "../shared/controls/Choice";
import { Optional } from "../shared/controls/Optional";
import { Shell } from "./Shell";
import { WhoseQuestions } from "./WhoseQuestions";

const DAY = 24 * 60 * 60 * 1000; // milliseconds
const PERIODS = [0, 7, 30, 90, 365]; // days
const REPORTED = ["wrong", "outdated"] as const;
const EVERY = "*"; // no department's name; "" is nobody's

export function Gaps() {
  const m = useStaffMessages();
  const { language } = useLanguage();
  const [department, setDepartment] = useState<string | null>(null);
  const [days, setDays] = useState(0); // 0: always
  const since = days === 0 ? null : dayOf(new Date(Date.now() - days * DAY));
  // of all departments: to choose from, whatever becomes of the chosen one's
  const { data: whole } = useGaps({ department: null, since });
  const { data: report, error } = useGaps({ department, since });
  return (
    <Shell current="gaps" error={error}>
      <h2 className="quality-title">{m.pageNames.gaps}</h2>
      <p className="muted">{m.quality.gapsLead}</p>
      <WhoseQuestions />
      <div className="session-fields">
        <Choice
          label={m.quality.period}
          value={String(days)}
          options={PERIODS.map((one) => [String(one), m.quality.periodOf(one)] as const)}
          onValue={(chosen) => setDays(Number(chosen))}
        />
        {whole && <Departments counts={whole.departments} chosen={department} onChoose={setDepartment} />}
      </div>
      {report && <Report report={report} csv={gapsCsvUrl({ department, since }, language)} />}
    </Shell>
  );
}

interface DepartmentsProps {
  counts: GapReport["departments"];
  chosen: string | null;
  onChoose(department: string | null): void;
}

function Departments({ counts, chosen, onChoose }: DepartmentsProps) {
  const m = useStaffMessages();
  return (
    <label>
      {m.quality.gapDepartment}
      <select
        value={chosen ?? EVERY}
        onChange={(event) => onChoose(event.target.value === EVERY ? null : event.target.value)}
      >
        <option value={EVERY}>{m.quality.everyDepartment}</option>
        {Object.entries(counts).map(([name, count]) => (
          <option key={name} value={name}>
            {name || m.quality.noDepartment} ({count})
          </option>
        ))}
      </select>
    </label>
  );
}

function Report({ report: { gaps, questions, missing }, csv }: { report: GapReport; csv: string }) {
  const m = useStaffMessages();
  return (
    <>
      <p className="made">
        <span>{m.quality.gapCounts(gaps.length, questions)}</span>
        {gaps.length > 0 && (
          <a className="link" href={csv} download>
            {m.quality.export}
          </a>
        )}
      </p>
      <Missed counts={missing} lead={m.quality.missedInAll} />
      <ol className="cards">
        {gaps.map((gap) => (
          <GapCard key={`${gap.department} ${gap.question} ${gap.first_at}`} gap={gap} />
        ))}
      </ol>
    </>
  );
}

/** What readers said that they missed, most missed first. */
function Missed({ counts, lead }: { counts: Gap["missing"]; lead: string }) {
  const m = useStaffMessages();
  const words = { ...m.feedback.lacks, document: m.quality.noProcedure };
  const said = LACKS.filter((one) => counts[one])
    .sort((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0))
    .map((one) => `${words[one]} (${counts[one]})`);
  return said.length > 0 ? <p className="missed">{`${lead} ${said.join(", ")}`}</p> : null;
}

function GapCard({ gap }: { gap: Gap }) {
  const m = useStaffMessages();
  const facts = [
    m.quality.times(gap.times),
    gap.department,
    gap.functions.join(", "),
    m.quality.lastAsked(formatMoment(gap.last_at, m)),
    gap.passed_on > 0 && gap.passed_to.length === 0 ? m.quality.passedOn : "",
    ...gap.passed_to.map(({ name, at }) => m.quality.passedTo(name, formatMoment(at, m))),
  ].filter(Boolean);
  return (
    <li className="card gap">
      <h3>{gap.question}</h3>
      <p className="facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      <Missed counts={gap.missing} lead={m.quality.missed} />
      <Said gap={gap} />
      {gap.questions.length > 1 && (
        <details>
          <summary>{m.quality.otherWords(gap.questions.length - 1)}</summary>
          <ul>
            {gap.questions.slice(1).map((question) => (
              <li key={question}>{question}</li>
            ))}
          </ul>
        </details>
      )}
      <Documents gap={gap} heading={m.quality.named} documents={gap.named} />
      <Documents gap={gap} heading={m.quality.nearest} documents={gap.nearest} />
      <Optional fallback={null}>
        <PassOn answerId={gap.answer_id} asked={gap.question} />
      </Optional>
    </li>
  );
}

/** What readers reported of the answers, and what they wrote. */
function Said({ gap: { reported, comments } }: { gap: Gap }) {
  const m = useStaffMessages();
  const words = REPORTED.filter((one) => reported[one]).map((one) => `${m.quality.reports[one]} (${reported[one]})`);
  return (
    <>
      {words.length > 0 && <p className="missed">{`${m.quality.reported} ${words.join(", ")}`}</p>}
      {comments.length > 0 && (
        <>
          <h4>{m.quality.comments}</h4>
          <ul>
            {comments.map((comment) => (
              <li key={comment}>{comment}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Each with a way to pass the question on to who answers for it. */
function Documents({ gap, heading, documents }: { gap: Gap; heading: string; documents: Gap["nearest"] }) {
  const m = useStaffMessages();
  if (documents.length === 0) return null;
  return (
    <>
      <h4>{heading}</h4>
      <ul>
        {documents.map(({ id, document, title, owner }) => (
          <li key={document}>
            {title} <span className="muted">{owner || m.quality.noOwner}</span>{" "}
            <Optional fallback={null}>
              <AskOwner
                about={{ document_id: id, title, owner, language: "", page: null }}
                answerId={gap.answer_id}
                asked={gap.question}
                passes
              />
            </Optional>
          </li>
        ))}
      </ul>
    </>
  );
}
