// What stands over an answer's words: that they are in another language than the page, which is
// heard too, and, on paper alone, which documents they are from, since nothing can be unfolded
// there. It comes with the first answer.
import { Suspense } from "react";
import { useMessages, useWardMessages } from "../../i18n";
import { type AnswerState, isRefused, view } from "../../state/conversation/answer";
import { citationOf, placesOf } from "../../text/documents/facts";
import { Cautions } from "../shared/document/Cautions";
import "../../styles/media/print.css";

interface Props {
  state: AnswerState;
  heard?: string | undefined; // what a screen reader says of it: then no sheet is meant
}

/** Of an answer that quotes nothing, the first of its sources. */
export function PrintedSources({ state, heard }: Props) {
  const m = useMessages();
  const { sources, spans } = view(state);
  if (heard)
    return (
      <>
        {heard} <OtherLanguage {...{ state, heard }} />
      </>
    );
  return (
    <>
      <Suspense>
        <OtherLanguage state={state} />
      </Suspense>
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
    </>
  );
}

/** Of what is quoted, by what its documents say of themselves. */
function OtherLanguage({ state, heard }: Props) {
  const { locale } = useMessages();
  const m = useWardMessages();
  const { sources, spans } = view(state);
  const quoted = sources.filter(({ rank }) => spans.some((span) => span.rank === rank));
  const others = quoted.filter(({ language }) => language && !locale.startsWith(language));
  if (others.length === 0) return null;
  const named = new Intl.DisplayNames(locale, { type: "language" });
  const languages = [...new Set(others.map(({ language }) => named.of(language) ?? language))];
  const documents = new Set(others.map(({ document_id }) => document_id)).size;
  const words = m.beside.inLanguage(languages, documents, others.length === quoted.length);
  return heard ? words : <p className="muted answer-language">{words}</p>;
}
