// What only paper holds: of which day it is, and which documents an answer is from, since nothing
// can be unfolded there. It comes with the first answer.
import { useEffect, useState } from "react";
import { dayOf, formatDay, useMessages, useWardMessages } from "../../i18n";
import { type AnswerState, isRefused, view } from "../../state/conversation/answer";
import { TO_PRINT } from "../../state/window/route";
import { citationOf, placesOf } from "../../text/documents/facts";
import { Cautions } from "../shared/document/Cautions";
import "../../styles/media/print.css";

/**
 * A tab may lie open for days, so the day is taken when it prints. `conversation`: that is shown.
 */
export function PrintedDay({ conversation }: { conversation: string | null }) {
  const m = useMessages();
  const ward = useWardMessages();
  const [day, setDay] = useState(() => dayOf(new Date()));
  useEffect(() => {
    const now = (): void => setDay(dayOf(new Date()));
    window.addEventListener("beforeprint", now);
    return () => window.removeEventListener("beforeprint", now);
  }, []);
  useEffect(() => {
    if (!conversation || location.hash !== TO_PRINT) return;
    history.replaceState(history.state, "", location.pathname); // printed once, however often the page is loaded again
    setTimeout(() => window.print()); // what prints draws first, which it cannot from here
  }, [conversation]);
  return <p className="print-only">{ward.beside.printed(formatDay(day, m))}</p>;
}

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
