// A source under the answer: what it is, and the passage with the words that were copied.
import { useState } from "react";
import type { Source, Span } from "../../api/types";
import { formatScore, useMessages } from "../../i18n";
import { excerpt } from "../../text/excerpt";
import { Cautions } from "../shared/Cautions";
import { Facts } from "../shared/Facts";
import { Words } from "../shared/Words";

interface Props {
  source: Source;
  spans: readonly Span[];
  open: boolean;
  onOpen(rank: number): void;
}

export function SourceCard({ source, spans, open, onOpen }: Props) {
  const m = useMessages();
  const quotes = spans.filter((span) => span.rank === source.rank).map((span) => span.text);
  const help = m.card.scoreHelp(formatScore(source.dense_score, m), formatScore(source.bm25_score, m));
  return (
    <li className={`card ${open ? "open" : ""}`} data-rank={source.rank}>
      <div className="card-head">
        <span className={`rank rank-${source.rank}`} aria-hidden="true">
          {source.rank}
        </span>
        <h3>
          {/* The button's area is the whole card (card.css), so that a click anywhere opens it. */}
          <button
            type="button"
            className="card-button"
            aria-label={m.card.open(source.rank, source.title)}
            aria-pressed={open}
            onClick={() => onOpen(source.rank)}
          >
            {source.title}
          </button>
        </h3>
        <span className="score" title={help}>
          {m.card.score} {formatScore(source.score, m)}
        </span>
      </div>
      <Facts source={source} page />
      <Cautions source={source} />
      <Passage text={source.text} quotes={quotes} />
    </li>
  );
}

function Passage({ text, quotes }: { text: string; quotes: readonly string[] }) {
  const m = useMessages();
  const [whole, setWhole] = useState(false);
  const pieces = excerpt(text, quotes, whole);
  const cut = whole || pieces.map((piece) => piece.text).join("").length < text.trimEnd().length;
  return (
    <p className={whole ? "passage whole" : "passage"}>
      {pieces.map((piece, index) =>
        piece.marked ? (
          <mark key={index}>
            <Words text={piece.text} />
          </mark>
        ) : (
          <span key={index}>
            <Words text={piece.text} />
          </span>
        ),
      )}
      {cut && (
        <button type="button" className="link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? m.card.lessText : m.card.moreText}
        </button>
      )}
    </p>
  );
}
