// What was asked in vain, by department. For quality staff.
import { useState } from "react";
import type { Gap, GapReport } from "../../api/types";
import { formatMoment, useStaffMessages } from "../../i18n";
import { gapsCsvUrl, useGaps } from "../../queries/staff/gaps";
import { LACKS } from "../../state/conversation/judgement";
import { Shell } from "./Shell";

const EVERY = "*"; // no department's name; "" is nobody's

export function Gaps() {
  const m = useStaffMessages();
  const [department, setDepartment] = useState<string | null>(null);
  const { data: whole } = useGaps(null); // of all departments: to choose from, whatever becomes of the chosen one's
  const { data: report, error } = useGaps(department);
  return (
    <Shell current="gaps" error={error}>
      <h2 className="quality-title">{m.pageNames.gaps}</h2>
      <p className="muted">{m.quality.gapsLead}</p>
      {whole && <Departments counts={whole.departments} chosen={department} onChoose={setDepartment} />}
      {report && <Report report={report} csv={gapsCsvUrl(department)} />}
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
    <div className="session-fields">
      <label>
        {m.quality.department}
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
    </div>
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
  const said = LACKS.filter((one) => counts[one])
    .sort((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0))
    .map((one) => `${m.feedback.lacks[one]} (${counts[one]})`);
  return said.length > 0 ? <p className="missed">{`${lead} ${said.join(", ")}`}</p> : null;
}

function GapCard({ gap }: { gap: Gap }) {
  const m = useStaffMessages();
  const facts = [
    m.quality.times(gap.times),
    gap.department,
    gap.functions.join(", "),
    m.quality.lastAsked(formatMoment(gap.last_at, m)),
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
      {gap.nearest.length > 0 && (
        <>
          <h4>{m.answer.nearest}</h4>
          <ul>
            {gap.nearest.map(({ document, title, owner }) => (
              <li key={document}>
                {title} <span className="muted">{owner || m.quality.noOwner}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </li>
  );
}
