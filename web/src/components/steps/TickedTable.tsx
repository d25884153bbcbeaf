// A quoted table of which the numbered rows are ticked off: a box before each number, and the whole
// row is its label.
import { type ReactNode, useId } from "react";
import { useWardMessages } from "../../i18n";
import { tick, useTicks } from "../../state/conversation/steps";
import type { Cell, Row } from "../../text/answer/blocks";
import { stepRows } from "../../text/answer/stepRows";
import { Fitted } from "./Fitted";
import { StartTimers, type Steps, TicksFoot } from "./Ticks";

const wordsOf = (row: Row = []): string => row.map(({ text }) => text).join(" · ");

/** A cell of the table's body with what stands in it. */
export type DrawCell = (words: ReactNode, cell: Cell, row: number) => ReactNode;

interface Props extends Steps {
  rows: readonly Row[];
  children(draw: DrawCell | undefined): ReactNode; // the table
}

export function TickedTable({ rows, children, ...of }: Props) {
  const { list, language } = of;
  const m = useWardMessages();
  const id = useId();
  const { shown, done } = useTicks(list);
  const steps = list === "" ? null : stepRows(rows);
  const draw: DrawCell = (words, cell, row) =>
    steps?.rows.has(row) && cell.text !== "" ? (
      <div className="tick">
        <label htmlFor={`${id} ${row}`}>
          {cell.column === steps.column && (
            <input
              type="checkbox"
              id={`${id} ${row}`}
              checked={done.has(row)}
              onChange={(event) => tick(list, row, event.target.checked)}
            />
          )}
          <span className="step">{words}</span>
        </label>
        <StartTimers {...{ language }} text={cell.text} step={wordsOf(rows[row])} />
      </div>
    ) : (
      words
    );
  return (
    <>
      <Fitted>{children(steps && shown ? draw : undefined)}</Fitted>
      {steps && <TicksFoot {...of} count={steps.rows.size} whole={m.steps.wholeTable} />}
    </>
  );
}
