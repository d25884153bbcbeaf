// What was asked in vain, by department. For quality staff.
import { useEffect, useState } from "react";
import { type Gap, type GapReport, gapsCsvUrl, getGaps } from "../../api/quality";
import { formatMoment, useMessages } from "../../i18n";
import { Nowhere } from "../chat/Welcome";
import { Shell } from "./Shell";

export function Gaps() {
  const m = useMessages();
  const [department, setDepartment] = useState<string | null>(null);
  const [report, setReport] = useState<GapReport | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    getGaps(department).then(
      (found) => current && setReport(found),
      (failure) => current && setError(failure.code ?? "internal"),
    );
    return () => {
      current = false;
    };
  }, [department]);
  if (error === "not_found") return <Shell current="gaps" children={<Nowhere onHome={() => location.assign("/")} />} />;
  return (
    <Shell current="gaps">
      <main className="conversation" aria-label={m.quality.gaps}>
        <div className="turns">
          <h2 className="quality-title">{m.quality.gaps}</h2>
          <p className="muted">{m.quality.gapsLead}</p>
          {error && <p className="notice serious">{m.errors[error] ?? m.errors.internal}</p>}
          {report && (
            <>
              <div className="session-fields">
                <label>
                  {m.quality.department}
                  <select
                    value={department ?? "*"}
                    onChange={(event) => setDepartment(event.target.value === "*" ? null : event.target.value)}
                  >
                    <option value="*">{m.quality.everyDepartment}</option>
                    {Object.entries(report.departments).map(([name, count]) => (
                      <option key={name} value={name}>
                        {name || m.quality.noDepartment} ({count})
                      </option>
                    ))}
                  </select>
                </label>
              </div>
              <p className="made">
                <span>{m.quality.gapCounts(report.gaps.length, report.questions)}</span>
                {report.gaps.length > 0 && (
                  <a className="link" href={gapsCsvUrl(department)} download>
                    {m.quality.export}
                  </a>
                )}
              </p>
              <ol className="cards">
                {report.gaps.map((gap) => (
                  <GapCard key={`${gap.department} ${gap.question} ${gap.first_at}`} gap={gap} />
                ))}
              </ol>
            </>
          )}
        </div>
      </main>
    </Shell>
  );
}

function GapCard({ gap }: { gap: Gap }) {
  const m = useMessages();
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
