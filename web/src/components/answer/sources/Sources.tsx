// The sources under an answer, by document: the first ones, those that it quotes and the open one;
// those that a notice names; the others when asked for. Of a refusal, the nearest documents.
import { useState } from "react";
import type { Source, Span } from "../../../api/types";
import { useMessages } from "../../../i18n";
import type { Opened } from "../../../state/conversation/conversation";
import { byDocument, named } from "../../../text/documents/documents";
import { DocumentCard } from "./DocumentCard";

const FIRST = 4;
const NEAREST = 3; // documents that a refusal names

interface Props {
  sources: readonly Source[];
  spans: readonly Span[];
  asked: string; // what was searched for
  answerId?: string | undefined;
  opened: Opened | null;
  heading: string | null;
  said: readonly string[]; // above the answer
  folded: boolean;
  refused: boolean;
  onOpen(rank: number): void;
  onWhole?: ((document: string) => void) | undefined;
}

export function Sources({ sources, spans, opened, heading, said, folded, refused, ...rest }: Props) {
  const m = useMessages();
  const few = folded || refused ? 0 : FIRST;
  const [all, setAll] = useState(false);
  const nearest = refused
    ? byDocument(sources)
        .slice(0, NEAREST)
        .map(([first]) => first)
    : [];
  const firsts: unknown[] = folded ? [] : [...nearest, ...said.flatMap((sentence) => named(sentence, sources))];
  const cited = new Set(spans.map((span) => span.rank));
  const shown = sources.filter(
    (source, index) =>
      all ||
      firsts.includes(source) ||
      index < few ||
      (!folded && (cited.has(source.rank) || opened?.rank === source.rank)),
  );
  const hidden = sources.length - shown.length;
  return (
    <>
      {heading && sources.length > 0 && <h3 className="sources-heading">{heading}</h3>}
      {shown.length > 0 && (
        <ol className="cards">
          {byDocument(shown).map((own) => (
            <DocumentCard
              key={own[0]?.document_id}
              {...{ spans, refused, ...rest }}
              shown={own}
              all={sources}
              opened={opened?.rank ?? null}
            />
          ))}
        </ol>
      )}
      {(hidden > 0 || all) && sources.length > few && (
        <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? m.card.less : shown.length > 0 ? m.card.more(hidden) : m.card.all(hidden)}
        </button>
      )}
    </>
  );
}
