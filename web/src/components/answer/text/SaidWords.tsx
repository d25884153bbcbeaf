// What was asked stands out in its paragraph.
import type { Said } from "../../../text/answer/said";
import { Words } from "../../shared/document/Words";

export function SaidWords({ said }: { said: readonly Said[] }) {
  return said.map(({ text, asked }, index) =>
    asked ? (
      <strong key={index} className="said">
        <Words text={text} />
      </strong>
    ) : (
      <Words key={index} text={text} />
    ),
  );
}
