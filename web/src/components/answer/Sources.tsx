// The sources under an answer: the first ones, those that it quotes and the open one; the others when they are asked for.
import { useState } from "react";
import type { Source, Span } from "../../api/types";
import { useMessages } from "../../i18n";
import type { Opened } from "../../state/conversation";
import { SourceCard } from "./SourceCard";

const FIRST = 4;

interface Props {
  sources: readonly Source[];
  spans: readonly Span[];
  opened: Opened | null;
  heading: string | null;
  folded: boolean;
  onOpen(rank: number): void;
}

export function Sources({ sources, spans, opened, heading, folded, onOpen }: Props) {
  const m = useMessages();
  const few = folded ? 0 : FIRST;
  const [all, setAll] = useState(false);
  const cited = new Set(spans.map((span) => span.rank));
  const shown = sources.filter(
    (source, index) => all || index < few || (!folded && (cited.has(source.rank) || opened?.rank === source.rank)),
  );
  const hidden = sources.length - shown.length;
  return (
    <>
      {heading && sources.length > 0 && <h3 className="sources-heading">{heading}</h3>}
      {shown.length > 0 && (
        <ol className="cards">
          {shown.map((source) => (
            <SourceCard
              key={source.rank}
              source={source}
              spans={spans}
              open={opened?.rank === source.rank}
              onOpen={onOpen}
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
