// Weeks as a table, the last one first, and as rows of a spreadsheet.
import type { UsageWeek } from "../../../api/types";
import { formatDay, type StaffMessages, useStaffMessages } from "../../../i18n";

export function WeekTable({ weeks }: { weeks: readonly UsageWeek[] }) {
  const m = useStaffMessages();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section className="wide" tabIndex={0} aria-label={m.usage.byWeek}>
      <table className="figures">
        <thead>
          <tr>
            {m.usage.heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.toReversed().map((week) => (
            <tr key={week.begins}>
              <th scope="row">{formatDay(week.begins, m)}</th>
              {Object.entries(figuresOf(week, m)).map(([name, value]) => (
                <td key={name}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export const weekRows = (weeks: readonly UsageWeek[], m: StaffMessages): string[][] =>
  weeks.length > 0
    ? [[...m.usage.heads], ...weeks.map((week) => [week.begins, ...Object.values(figuresOf(week, m))])]
    : [];

/** In the order of their heads. */
function figuresOf(
  { questions, askers, answered, not_found, wrong, failed, median, slowest }: UsageWeek,
  m: StaffMessages,
) {
  const share = (count: number): string => (questions ? `${Math.round((100 * count) / questions)}%` : "");
  return {
    questions: String(questions),
    askers: String(askers),
    answered: share(answered),
    not_found: share(not_found),
    wrong: String(wrong),
    failed: String(failed),
    median: seconds(median, m),
    slowest: seconds(slowest, m),
  };
}

export const seconds = (value: number | null, m: StaffMessages): string =>
  value === null ? "" : value.toLocaleString(m.locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
