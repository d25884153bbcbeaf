// Words as they stand in a source. The tab between two cells of a table's row is drawn as the line
// between them.
import { Fragment } from "react";

export function Words({ text }: { text: string }) {
  return text.split("\t").map((cell, index) => (
    <Fragment key={`${index}-${cell}`}>
      {index > 0 && <span className="cell-border">{"\t"}</span>}
      {cell}
    </Fragment>
  ));
}
