// A source of a judged answer, opened beside it with all that the answer quotes marked: the list,
// and what is typed in it, stays as it was.
import { useMemo, useState } from "react";
import type { Reviewed } from "../../../api/types";
import { highlightsOf, indexOf } from "../../../pdf/highlights";
import { useLinked } from "../../../queries/documents/pages";
import { Problem } from "../../shared/controls/Problem";
import { LazyPane } from "../../source/LazyPane";

/** What was followed of an answer. */
export interface Followed {
  asked: Reviewed;
  document: string;
  page: number;
  key: string | null; // of the place that was followed; null: the first
}

interface Props {
  followed: Followed;
  over: boolean; // it lies over the list
  onClose(): void;
}

const NOWHERE: readonly string[] = []; // the answer says itself where its words stand

export function Opened({ followed, over, onClose }: Props) {
  const { asked, document, page, key } = followed;
  const { data, error } = useLinked({ document, page, quotes: NOWHERE });
  const [moved, setMoved] = useState<{ from: Followed; key: string } | null>(null);
  const wish = useMemo(() => ({ chosen: true, of: moved ?? followed }), [moved, followed]);
  const { spans, sources, status } = asked;
  const shown = useMemo(() => {
    const rank = sources.find(({ document_id }) => document_id === document)?.rank ?? 1;
    const source = data && { ...data.source, rank };
    return source && { source, highlights: highlightsOf(source, spans, status === "not_found") };
  }, [data, document, sources, spans, status]);
  if (!shown) return <section className="source">{error && <Problem code={error.code} />}</section>;
  const { source, highlights } = shown;
  const current = indexOf(highlights, moved?.from === followed ? moved.key : key, source.rank);
  const move = (step: 1 | -1): void => {
    const next = highlights[(current + step + highlights.length) % highlights.length];
    if (next) setMoved({ from: followed, key: next.key });
  };
  return <LazyPane {...{ source, highlights, current, wish, over, onClose }} onMove={move} />;
}
