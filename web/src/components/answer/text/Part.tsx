// A part of an answer that is a table, a list or a box in its document, and is one here: with its
// marks, and one place.
import type { ReactNode } from "react";
import type { Source, Span } from "../../../api/types";
import { useMessages } from "../../../i18n";
import { placePath } from "../../../state/window/route";
import { type Cell, headingOf, type Item, type Row, type Run } from "../../../text/answer/blocks";
import { belowHeading } from "../../../text/answer/parts";
import type { SaidNotice } from "../../../text/documents/facts";
import { Optional } from "../../shared/controls/Optional";
import type { DrawCell } from "../../steps/TickedTable";
import type { Steps } from "../../steps/Ticks";
import { following } from "./following";
import { Checklist, Numbers, Pressable, TickedTable } from "./lazily";
import { SaidWords } from "./SaidWords";

interface Props {
  name: string; // which part of which answer; empty while it is written
  runs: readonly Run[];
  spans: readonly Span[];
  source: Source | undefined;
  lacks: SaidNotice | undefined; // that its table is not whole
  onSpan(span: Span): void;
}

export function Part({ name, runs, spans, source, lacks, onSpan }: Props) {
  const first = spans[0];
  if (!first) return null;
  return (
    <div className={`part rank-${first.rank}`} lang={source?.language || undefined}>
      {runs.map((run, index) => (
        <Drawn
          key={index}
          {...{ run, lacks, runs, spans, onSpan }}
          list={name && `${name} ${index}`}
          language={source?.language ?? ""}
        />
      ))}
      <Place first={first} spans={spans} onSpan={onSpan} />
    </div>
  );
}

interface DrawnProps extends Steps {
  run: Run;
  lacks: SaidNotice | undefined;
}

function Drawn({ run, lacks, ...steps }: DrawnProps) {
  if (run.kind === "table")
    return (
      <Optional fallback={<Table {...run} lacks={lacks} />}>
        <TickedTable {...steps} rows={run.body}>
          {(draw) => <Table {...run} {...{ lacks, draw }} />}
        </TickedTable>
      </Optional>
    );
  if (run.kind === "list")
    return (
      <Optional fallback={<List items={run.items} />}>
        <Checklist {...steps} items={run.items} />
      </Optional>
    );
  return (
    <p className={`part-${run.as}`}>
      <SaidWords said={run.said} />
      <Numbers text={run.said.map(({ text }) => text).join("")} />
    </p>
  );
}

interface TableProps {
  head: readonly Row[];
  body: readonly Row[];
  lacks: SaidNotice | undefined;
  draw?: DrawCell | undefined;
}

function Table({ head, body, lacks, draw }: TableProps) {
  return (
    <table className="part-table">
      {(lacks || head.length > 0) && (
        <thead>
          {lacks && (
            <tr className="print-only">
              <td colSpan={widthOf([...head, ...body])} lang={lacks.language}>
                {lacks.text}
              </td>
            </tr>
          )}
          {head.map((row, index) => (
            <Line key={index} row={row} head={[]} />
          ))}
        </thead>
      )}
      {body.length > 0 && (
        <tbody>
          {body.map((row, index) => (
            <Line key={index} row={row} head={head} draw={draw && ((words, cell) => draw(words, cell, index))} />
          ))}
        </tbody>
      )}
    </table>
  );
}

interface LineProps {
  row: Row;
  head: readonly Row[]; // what stands above it; empty: this is what stands above
  draw?: ((words: ReactNode, cell: Cell) => ReactNode) | undefined;
}

function Line({ row, head, draw }: LineProps) {
  return (
    <tr aria-current={row.some((cell) => cell.pointed) || undefined}>
      {withGaps(row).map((cell) => {
        const text = <Pressable text={cell.text} />;
        const marked = cell.asked ? <strong>{text}</strong> : text;
        const words = draw ? draw(marked, cell) : marked;
        const span = cell.columns > 1 ? cell.columns : undefined;
        return cell.header ? (
          <th key={cell.column} colSpan={span} scope={scopeOf(row)} data-heading={headingOf(head, cell)}>
            {words}
          </th>
        ) : (
          <td key={cell.column} colSpan={span} data-heading={headingOf(head, cell)}>
            {words}
          </td>
        );
      })}
    </tr>
  );
}

/**
 * A row of headers heads columns, or, within a table's body, the rows under it; a header among
 * others heads its row.
 */
const scopeOf = (row: Row): "col" | "row" => (row.every(({ header }) => header) ? "col" : "row");

/** With empty cells where the row has none, so that every other stands in its own column. */
function withGaps(row: Row): Row {
  const filled: Row = [];
  let column = 0;
  for (const cell of row) {
    for (; column < cell.column; column += 1) filled.push(empty(column));
    filled.push(cell);
    column = cell.column + cell.columns;
  }
  return filled;
}

const widthOf = (rows: readonly Row[]): number =>
  Math.max(...rows.flat().map(({ column, columns }) => column + columns));

const empty = (column: number): Cell => ({ text: "", header: false, asked: false, pointed: false, column, columns: 1 });

function List({ items }: { items: readonly Item[] }) {
  return (
    <ul className="part-list">
      {items.map(({ label, text, level }, index) => (
        <li key={index} data-level={Math.min(level, 3)} data-marked={label !== "" || undefined}>
          {label && <span className="label">{label}</span>}
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** The one place of the whole part. */
function Place({ first: span, spans, onSpan }: { first: Span; spans: readonly Span[]; onSpan(span: Span): void }) {
  const m = useMessages();
  const { page } = belowHeading(spans, span);
  return (
    <a
      className={`part-place quote rank-${span.rank}`}
      href={placePath({ document: span.document_id, page, quotes: spans.map(({ text }) => text) })}
      title={m.answer.openSpan(span.rank)}
      lang={m.locale}
      onClick={following(() => onSpan(span))}
    >
      {m.answer.partPlace(span.rank, page)}
    </a>
  );
}
