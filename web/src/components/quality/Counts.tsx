// How many questions a set has, of which kind, and the ways to it.
import type { ReactNode } from "react";
import type { JudgedSets } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { csvUrl } from "../../queries/staff/judged";

export type Counted = JudgedSets["sets"][number];

export const countsOf = (sets: JudgedSets | undefined, name: string): Counted | undefined =>
  sets?.sets.find((set) => set.name === name);

/** "6 questions: 3 to choose by, 3 to report on; 1 open", and a link that saves the set. */
export function Counts({ set, download, children }: { set: Counted; download: string; children?: ReactNode }) {
  return (
    <p className="made">
      <CountWords set={set} />
      {children}
      <a className="link" href={csvUrl(set.name)} download>
        {download}
      </a>
    </p>
  );
}

export function CountWords({ set: { questions, validate, test, incomplete } }: { set: Counted }) {
  const m = useStaffMessages();
  return <span>{m.quality.counts(questions, validate, test, incomplete)}</span>;
}
