// What only paper holds: which documents an answer is from, since nothing can be unfolded there. It
// comes with the first answer.
import { useMessages } from "../../i18n";
import { type AnswerState, isRefused, view } from "../../state/conversation/answer";
import { citationOf, placesOf } from "../../text/documents/facts";
import { Cautions } from "../shared/document/Cautions";
import "../../styles/media/print.css";

/** Of an answer that quotes nothing, the first of its sources. */
export function PrintedSources({ state }: { state: AnswerState }) {
  const m = useMessages();
  const { sources, spans } = view(state);
  return (
    <div className="print-only printed-sources">
      {isRefused(state) && sources.length > 0 && <p>{m.answer.nearest}</p>}
      <ul>
        {placesOf({ sources, spans }).map(({ source, page }) => (
          <li key={`${source.rank} ${page}`}>
            {citationOf(source, page, m)}
            <Cautions cautions={source.cautions} />
          </li>
        ))}
      </ul>
    </div>
  );
}
