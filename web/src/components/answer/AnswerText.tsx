// The answer's words. Copied ones are underlined in their source's colour and numbered; following them shows their place.
// Everything is a text node: nothing that a document or a model wrote can become markup.
import type { MouseEvent } from "react";
import type { Source, Span, Unsupported } from "../../api/types";
import { useMessages } from "../../i18n";
import { fileUrl } from "../../queries/documents";
import { type Segment, segments } from "../../text/segments";
import { Words } from "../shared/Words";

interface Props {
  text: string;
  spans: readonly Span[];
  sources: readonly Source[];
  writing: boolean;
  unsupported: readonly Unsupported[] | null; // from the service; null: as far as this page can tell
  onSpan(span: Span): void;
}

export function AnswerText({ text, spans, sources, writing, unsupported, onSpan }: Props) {
  const parts = segments(text, spans, sources, unsupported);
  return (
    <>
      <p className={`answer-text ${writing ? "writing" : ""}`}>
        {parts.map((part, index) => (
          <Part key={index} part={part} onSpan={onSpan} />
        ))}
      </p>
      {!writing && <Legend parts={parts} />}
    </>
  );
}

function Part({ part, onSpan }: { part: Segment; onSpan(span: Span): void }) {
  const m = useMessages();
  if (part.unsupported) {
    return (
      <>
        <span className="unsupported">{part.text}</span>
        <span className="unsupported-word"> ({m.answer.notInSource})</span>
      </>
    );
  }
  return part.span ? <Quote span={part.span} onSpan={onSpan} /> : part.text;
}

function Quote({ span, onSpan }: { span: Span; onSpan(span: Span): void }) {
  const m = useMessages();
  const words = span.text.trimEnd();
  const lastWord = words.search(/\S*$/); // keeps the number on the line of the word before it
  const follow = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the reader wants another tab: let the browser open it
    event.preventDefault();
    onSpan(span);
  };
  return (
    <>
      <a
        className={`quote rank-${span.rank}`}
        href={`${fileUrl(span.document_id)}#page=${span.page}`}
        title={m.answer.openSpan(span.rank)}
        onClick={follow}
      >
        <Words text={words.slice(0, lastWord)} />
        <span className="nowrap">
          {words.slice(lastWord)}
          <sup>{span.rank}</sup>
        </span>
      </a>
      {span.text.slice(words.length)}
    </>
  );
}

/** Says once what the lines mean; only of what this answer holds. */
function Legend({ parts }: { parts: readonly Segment[] }) {
  const m = useMessages();
  const written = parts.some((part) => !part.span && /\p{L}/u.test(part.text));
  if (parts.length === 0) return null;
  return (
    <p className="legend">
      {parts.some((part) => part.span) && <span className="quote rank-1">{m.answer.legendQuote}</span>}
      {written && <span>{m.answer.legendWritten}</span>}
      {parts.some((part) => part.unsupported) && <span className="unsupported">{m.answer.legendNumber}</span>}
    </p>
  );
}
