// What a link to a document, a page or a quote leads to: the document, opened at the words, where
// its reader may see it.
import { useEffect, useState } from "react";
import type { LinkedPlace } from "../../api/types";
import { formatMoment, useWardMessages } from "../../i18n";
import type { Highlight } from "../../pdf/highlights";
import { useLinked } from "../../queries/documents/pages";
import { placeIn } from "../../state/place";
import { type Place, placePath } from "../../state/window/route";
import { citationOf } from "../../text/documents/facts";
import { Problem } from "../shared/controls/Problem";
import { Cautions } from "../shared/document/Cautions";
import { PrintedDay } from "../shared/document/PrintedDay";
import { Header } from "../shared/frame/Header";
import { SourcePane } from "./SourcePane";

const stay = (): void => undefined; // there is one place

/**
 * To the page whose link was followed, as it was left; who came from elsewhere goes to the first
 * page.
 */
function close(): void {
  if (document.referrer.startsWith(`${location.origin}/`) && history.length > 1) history.back();
  else location.assign("/");
}

export function Linked() {
  const m = useWardMessages();
  const [place, setPlace] = useState(() => placeIn(location));
  const { data, error } = useLinked(place);
  const whole = { ...place, quotes: data?.quotes ?? [] }; // a link may shorten its words
  useEffect(() => {
    const changed = (): void => setPlace(placeIn(location));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return (
    <div className="app">
      <Header />
      <main className="linked" aria-label={m.app.source}>
        {error && (error.status === 404 || error.status === 422 ? <Gone /> : <Problem code={error.code} />)}
        {data && <Notices linked={data} place={whole} />}
        {data && <Printed linked={data} place={whole} />}
        {data && (
          <SourcePane
            source={data.source}
            highlights={[highlightOf(data, whole)]}
            current={0}
            over={false}
            alone
            onMove={stay}
            onClose={close}
          />
        )}
      </main>
    </div>
  );
}

function highlightOf({ source, found }: LinkedPlace, { quotes }: Place): Highlight {
  const { rank, page } = source;
  return { key: "linked", kind: "quote", rank, page, quotes: found ? quotes : [], rects: found ? source.rects : [] };
}

function Notices({
  linked: { found, newer, same_title, withdrawn_at, withdrawn_reason },
  place,
}: {
  linked: LinkedPlace;
  place: Place;
}) {
  const m = useWardMessages();
  const lost = place.quotes.length > 0 && !found;
  const holds = newer ?? same_title;
  if (!lost && !holds && !withdrawn_at) return null;
  return (
    <ul className="notices">
      {withdrawn_at && (
        <li className="notice serious">{m.linked.withdrawn(formatMoment(withdrawn_at, m), withdrawn_reason)}</li>
      )}
      {lost && <li className="notice">{m.linked.lost}</li>}
      {holds && (
        <li className="notice serious">
          {newer ? m.answer.newer : m.linked.sameTitle}{" "}
          <a href={placePath({ ...place, document: holds.id })} lang={holds.language || undefined}>
            {holds.title}
          </a>
        </li>
      )}
    </ul>
  );
}

/** A sheet of the words that the link is about; the pages print from the file. */
function Printed({ linked: { source, found }, place }: { linked: LinkedPlace; place: Place }) {
  const m = useWardMessages();
  return (
    <section className="print-only printed-place">
      <PrintedDay conversation={null} />
      <h2 lang={source.language || undefined}>{source.title}</h2>
      <p>{citationOf(source, source.page, m)}</p>
      <Cautions cautions={source.cautions} />
      {found &&
        place.quotes.map((quote) => (
          <blockquote key={quote} lang={source.language || undefined}>
            {quote}
          </blockquote>
        ))}
      <p>{m.linked.printed}</p>
    </section>
  );
}

function Gone() {
  const m = useWardMessages();
  return (
    <div className="welcome">
      <h2>{m.linked.gone}</h2>
      <a className="button" href="/">
        {m.notFoundPage.home}
      </a>
    </div>
  );
}
