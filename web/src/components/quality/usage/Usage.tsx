// How much is asked, what becomes of it, and how readily Bedside answers. For quality staff; an
// admin chooses.
import { useState } from "react";
import type { UsageWeek } from "../../../api/types";
import { formatDay, useStaffMessages } from "../../../i18n";
import { useUsage } from "../../../queries/staff/usage";
import { Shell } from "../Shell";
import { Bars } from "./Bars";
import { Report } from "./Report";
import { Risk } from "./Risk";
import { seconds, WeekTable } from "./WeekTable";

const SPANS = [13, 26, 53];

export function Usage() {
  const m = useStaffMessages();
  const [weeks, setWeeks] = useState(26);
  const { data, error } = useUsage(weeks);
  return (
    <Shell current="usage" error={error}>
      <h2 className="quality-title">{m.pageNames.usage}</h2>
      <p className="muted">{m.usage.lead}</p>
      <div className="session-fields">
        <label>
          {m.usage.span}
          <select value={weeks} onChange={(event) => setWeeks(Number(event.target.value))}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {m.usage.weeks(span)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {data && <Figures weeks={data.weeks} />}
      <Report />
      <Risk />
    </Shell>
  );
}

function Figures({ weeks }: { weeks: UsageWeek[] }) {
  const m = useStaffMessages();
  const asked = weeks.reduce((sum, week) => sum + week.questions, 0);
  if (asked === 0) return <p>{m.usage.nothing}</p>;
  const day = (week: Pick<UsageWeek, "begins">) => formatDay(week.begins, m);
  return (
    <>
      <p>{m.usage.trend(...halves(weeks))}</p>
      <Bars
        name={m.usage.questions}
        columns={weeks.map((week) => ({
          name: m.usage.weekOf(day(week)),
          parts: [week.answered, week.not_found, week.questions - week.answered - week.not_found],
        }))}
        parts={[m.usage.answered, m.usage.notFound, m.usage.other]}
      />
      <Bars
        name={m.usage.wrong}
        columns={weeks.map((week) => ({ name: m.usage.weekOf(day(week)), parts: [week.wrong] }))}
        parts={[m.usage.wrongAnswers]}
      />
      <Bars
        nested
        name={m.usage.took}
        columns={weeks.map(({ median, slowest, ...week }) => ({
          name: m.usage.weekOf(day(week)),
          parts: [median ?? 0, slowest ?? 0],
        }))}
        parts={[m.usage.halfWithin, m.usage.mostWithin]}
        said={(value) => seconds(value, m)}
      />
      <details>
        <summary>{m.usage.table}</summary>
        <WeekTable weeks={weeks} />
      </details>
    </>
  );
}

/**
 * Half the weeks that are over; questions in the earlier and in the later of them, and in this
 * week, which is not over.
 */
function halves(weeks: UsageWeek[]): [number, number, number, number] {
  const over = weeks.slice(0, -1);
  const half = Math.floor(over.length / 2);
  const sum = (some: UsageWeek[]) => some.reduce((all, week) => all + week.questions, 0);
  return [
    half,
    sum(over.slice(over.length - 2 * half, over.length - half)),
    sum(over.slice(over.length - half)),
    sum(weeks.slice(-1)),
  ];
}
