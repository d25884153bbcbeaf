// A document under the answer: what it is, and each of its passages that was found, with the words
// that were copied.
import { useState } from "react";
import type { Source, Span } from "../../../api/types";
import { formatScore, useMessages } from "../../../i18n";
import { closenessOf } from "../../../text/documents/documents";
import { excerpt } from "../../../text/documents/excerpt";
import { AskOwner } from "../../owners/lazily";
import { Optional } from "../../shared/controls/Optional";
import { Cautions } from "../../shared/document/Cautions";
import { Facts } from "../../shared/document/Facts";
import { Words } from "../../shared/document/Words";

interface Props {
  shown: readonly Source[]; // its passages, at least one
  all: readonly Source[]; // of the answer
  spans: readonly Span[];
  asked: string; // what was searched for
  answerId?: string | undefined; // of one that is stored: its documents' owners can be asked
  opened: number | null; // the rank of the open one
  refused: boolean;
  onOpen(rank: number): void;
  onWhole?: ((document: string) => void) | undefined; // the same question again, of all that this document says
}

export function DocumentCard({ shown, all, spans, asked, answerId, opened, refused, onOpen, onWhole }: Props) {
  const m = useMessages();
  const [first] = shown;
  if (!first) return null;
  const [score, dense, bm25] = [first.score, first.dense_score, first.bm25_score].map((one) => formatScore(one, m));
  const help = m.card.scoreHelp(score ?? "", dense ?? "", bm25 ?? "");
  const seen = shown.find(({ rank }) => rank === opened) ?? first;
  const cautions = shown.flatMap((source) => source.cautions);
  return (
    <li className={`card ${shown.length === 1 ? "single" : ""}`} data-document={first.document_id}>
      <div className="card-head">
        <h3 lang={first.language || undefined}>{first.title}</h3>
        <span className="score" title={help}>
          {m.card.closeness[closenessOf(shown, all, spans)]}
        </span>
      </div>
      <Facts source={first} owner={refused} />
      <Cautions cautions={cautions} />
      <ol className="card-places">
        {shown.map((source) => (
          <Place key={source.rank} {...{ source, spans, asked, onOpen }} open={opened === source.rank} />
        ))}
      </ol>
      {answerId && (
        <Optional fallback={null}>
          <AskOwner
            about={refused ? seen : first}
            answerId={answerId}
            asked={refused ? asked : ""}
            quotes={(refused ? [seen] : spans.filter((span) => span.document_id === first.document_id)).map(textOf)}
          />
        </Optional>
      )}
      {onWhole && (
        <button
          type="button"
          className="link card-whole"
          title={m.card.wholeHelp}
          onClick={() => onWhole(first.document_id)}
        >
          {m.card.whole}
          <span className="sr-only">: {first.title}</span>
        </button>
      )}
    </li>
  );
}

const textOf = ({ text }: { text: string }): string => text;

interface PlaceProps {
  source: Source;
  spans: readonly Span[];
  asked: string;
  open: boolean;
  onOpen(rank: number): void;
}

function Place({ source, spans, asked, open, onOpen }: PlaceProps) {
  const m = useMessages();
  const { rank, title, page, text, language } = source;
  const quotes = spans.filter((span) => span.rank === rank).flatMap(wordsOf);
  return (
    <li className={`card-place ${open ? "open" : ""}`} data-rank={rank}>
      {/* The button's area is the whole place (card.css), so that a click anywhere opens it. */}
      <button type="button" className="card-button" aria-pressed={open} onClick={() => onOpen(rank)}>
        <span className="sr-only">{m.card.open}</span>
        <span className={`rank rank-${rank}`}>{rank}</span>
        <span className="sr-only">{title}</span>
        {m.card.page(page)}
        {source.text_from === "ocr" && ` · ${m.card.scan}`}
      </button>
      <Passage {...{ text, quotes, asked, language }} />
    </li>
  );
}

/**
 * A table's rows and a list's items are marked one by one: between them a passage may hold more
 * than was copied.
 */
const wordsOf = (span: Span): string[] =>
  span.kind === "row" || span.kind === "list" ? span.text.split("\n") : [span.text];

interface PassageProps {
  text: string;
  quotes: readonly string[];
  asked: string;
  language: string;
}

function Passage({ text, quotes, asked, language }: PassageProps) {
  const m = useMessages();
  const [whole, setWhole] = useState(false);
  const pieces = excerpt(text, quotes, whole, asked);
  const cut = whole || pieces.map((piece) => piece.text).join("").length < text.trimEnd().length;
  return (
    <p className={whole ? "passage whole" : "passage"}>
      <span lang={language || undefined}>
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
      </span>
      {cut && (
        <button type="button" className="link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? m.card.lessText : m.card.moreText}
        </button>
      )}
    </p>
  );
}
