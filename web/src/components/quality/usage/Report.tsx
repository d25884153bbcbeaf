// The report of a month, or of any period: figures alone, to print or to save.
import { useState } from "react";
import type { PeriodReport } from "../../../api/types";
import { dayOf, formatDay, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useReport } from "../../../queries/staff/usage";
import { download } from "../../../state/window/download";
import { placePath } from "../../../state/window/route";
import { csvOf } from "../../../text/csv";
import { Problem } from "../../shared/controls/Problem";
import { seconds, WeekTable, weekRows } from "./WeekTable";
import "../../../styles/media/print.css";

/** The month before this one, which is over. */
function lastMonth(): { since: string; until: string } {
  const now = new Date();
  const [year, month] = [now.getFullYear(), now.getMonth()];
  return { since: dayOf(new Date(year, month - 1, 1)), until: dayOf(new Date(year, month, 0)) };
}

export function Report() {
  const m = useStaffMessages();
  const [period, setPeriod] = useState(lastMonth);
  const isPeriod = period.since !== "" && period.since <= period.until;
  const { data, error } = useReport(period, isPeriod);
  return (
    <section className="report" aria-label={m.usage.report}>
      <h3>{m.usage.report}</h3>
      <div className="session-fields">
        <label>
          {m.audit.from}
          <input
            type="date"
            value={period.since}
            onChange={(event) => setPeriod({ ...period, since: event.target.value })}
          />
        </label>
        <label>
          {m.audit.to}
          <input
            type="date"
            aria-invalid={!isPeriod || undefined}
            value={period.until}
            onChange={(event) => setPeriod({ ...period, until: event.target.value })}
          />
        </label>
      </div>
      <Problem code={error?.code} />
      {data && isPeriod && (
        <>
          <p className="made">
            <button
              type="button"
              className="link"
              onClick={() => download(`bedside-${data.since}-${data.until}.csv`, csvOf(tableOf(data, m)), "text/csv")}
            >
              {m.quality.export}
            </button>
            <button type="button" className="link" onClick={() => window.print()}>
              {m.usage.print}
            </button>
          </p>
          <Figures report={data} />
        </>
      )}
    </section>
  );
}

function Figures({ report }: { report: PeriodReport }) {
  const m = useStaffMessages();
  return (
    <>
      <h4>{m.usage.period(formatDay(report.since, m), formatDay(report.until, m))}</h4>
      <table className="figures">
        <tbody>
          {rowsOf(report, m).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {report.weeks.length > 0 && (
        <>
          <h4>{m.usage.byWeek}</h4>
          <p className="muted">{m.usage.byWeekLead}</p>
          <WeekTable weeks={report.weeks} />
        </>
      )}
      {report.quoted.length > 0 && (
        <>
          <h4>{m.usage.quoted}</h4>
          <p className="muted">{m.usage.quotedLead}</p>
          <ol>
            {report.quoted.map(({ document_id, title, answers }) => (
              <li key={document_id}>
                <a className="link" href={placePath({ document: document_id, page: 1, quotes: [] })}>
                  {title}
                </a>{" "}
                <span className="muted">{m.usage.answers(answers)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      {report.unanswered.length > 0 && (
        <>
          <h4>{m.usage.inVain}</h4>
          <ol>
            {report.unanswered.map(({ question, times, department }) => (
              <li key={`${department} ${question}`}>
                {question}{" "}
                <span className="muted">{[m.quality.times(times), department].filter(Boolean).join("; ")}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

/** The same as a table for a spreadsheet, in the page's language. */
const tableOf = (report: PeriodReport, m: StaffMessages): string[][] => [
  [m.usage.figure, m.usage.value],
  [m.audit.from, report.since],
  [m.audit.to, report.until],
  ...rowsOf(report, m),
  ...report.quoted.map(({ title, answers }) => [`${m.usage.quoted}: ${title}`, String(answers)]),
  ...report.unanswered.map(({ question, times }) => [`${m.usage.inVain}: ${question}`, String(times)]),
  ...weekRows(report.weeks, m),
];

function rowsOf(report: PeriodReport, m: StaffMessages): [string, string][] {
  const why = (by: string) =>
    (m.reviews.refused[by] ?? [m.reviews.refusedUnsure, m.reviews.decided[by] ?? ""].join(" ").trim()).replace(
      /\.$/,
      "",
    );
  const counts: [string, number][] = [
    [m.usage.asked, report.questions],
    [m.usage.answered, report.answered],
    [m.usage.notFound, report.not_found],
    ...Object.entries(report.refused).map(([by, count]): [string, number] => [why(by), count]),
    [m.usage.other, report.sources_only + report.failed],
    [m.usage.reportedAs(m.quality.reports.wrong), report.reported.wrong ?? 0],
    [m.usage.reportedAs(m.quality.reports.outdated), report.reported.outdated ?? 0],
    ...Object.entries(m.reviews.verdicts).map(([verdict, name]): [string, number] => [
      m.usage.judgedAs(name),
      report.judged[verdict] ?? 0,
    ]),
  ];
  return [
    ...counts.map(([name, count]): [string, string] => [name, String(count)]),
    [m.usage.half, seconds(report.median, m)],
    [m.usage.most, seconds(report.slowest, m)],
  ];
}
