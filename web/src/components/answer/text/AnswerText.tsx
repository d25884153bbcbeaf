// The answer's words. Copied ones are underlined in their source's colour and numbered; following
// them shows their place. Everything is a text node: nothing that a document or a model wrote can
// become markup.
import type { Source, Span, Unsupported } from "../../../api/types";
import { useMessages } from "../../../i18n";
import { placePath } from "../../../state/window/route";
import { blocks, type Run } from "../../../text/answer/blocks";
import { saidIn, trimmed } from "../../../text/answer/said";
import type { Segment } from "../../../text/answer/segments";
import type { SaidNotice } from "../../../text/documents/facts";
import { following } from "./following";
import { Numbers } from "./lazily";
import { Part } from "./Part";
import { SaidWords } from "./SaidWords";

interface Props {
  id: string; // of the answer; empty while it is written
  text: string;
  spans: readonly Span[];
  sources: readonly Source[];
  writing: boolean;
  language: string; // of what the model writes
  lacks: SaidNotice | undefined; // that its table is not whole
  unsupported: readonly Unsupported[] | null; // from the service; null: as far as this page can tell
  onSpan(span: Span): void;
}

export function AnswerText({ id, text, spans, sources, writing, language, lacks, unsupported, onSpan }: Props) {
  const shown = blocks(text, spans, sources, unsupported);
  const of = (span: Span): Source | undefined => sources.find(({ rank }) => rank === span.rank);
  const parts = shown.flatMap((block) =>
    block.kind === "text" ? block.segments : block.spans.map((span) => ({ text: span.text, span })),
  );
  const tables = shown.flatMap((block) => (block.kind === "part" ? block.pieces : [])).filter(isTable);
  const underlined = shown.some((block) => block.kind === "text" && block.segments.some(({ span }) => span));
  return (
    <>
      <div className={`answer-text ${writing ? "writing" : ""}`} lang={language || undefined}>
        {shown.map((block, index) =>
          block.kind === "text" ? (
            <p key={index}>
              {block.segments.map((part, at) => (
                <Piece key={at} part={part} source={part.span && of(part.span)} onSpan={onSpan} />
              ))}
            </p>
          ) : (
            <Part
              key={index}
              name={id && `${id} ${index}`}
              runs={block.pieces}
              spans={block.spans}
              source={block.spans[0] && of(block.spans[0])}
              lacks={tables.length === 1 ? lacks : undefined}
              onSpan={onSpan}
            />
          ),
        )}
      </div>
      {!writing && <Legend parts={parts} underlined={underlined} />}
    </>
  );
}

const isTable = ({ kind }: Run): boolean => kind === "table";

interface PieceProps {
  part: Segment;
  source: Source | undefined;
  onSpan(span: Span): void;
}

function Piece({ part, source, onSpan }: PieceProps) {
  const m = useMessages();
  if (part.unsupported) {
    return (
      <>
        <span className="unsupported">{part.text}</span>
        <span className="unsupported-word"> ({m.answer.notInSource})</span>
      </>
    );
  }
  return part.span ? <Quote span={part.span} language={source?.language} onSpan={onSpan} /> : part.text;
}

function Quote({ span, language, onSpan }: { span: Span; language: string | undefined; onSpan(span: Span): void }) {
  const m = useMessages();
  const said = trimmed(saidIn(span));
  const length = said.reduce((sum, { text }) => sum + text.length, 0);
  const last = said.at(-1) ?? { text: "", asked: false };
  const lastWord = last.text.search(/\S*$/); // keeps the number on the line of the word before it
  return (
    <>
      <a
        className={`quote rank-${span.rank}`}
        lang={language || undefined}
        href={placePath({ document: span.document_id, page: span.page, quotes: [span.text] })}
        title={m.answer.openSpan(span.rank)}
        onClick={following(() => onSpan(span))}
      >
        <SaidWords said={[...said.slice(0, -1), { ...last, text: last.text.slice(0, lastWord) }]} />
        <span className="nowrap">
          <SaidWords said={[{ ...last, text: last.text.slice(lastWord) }]} />
          <sup>{span.rank}</sup>
        </span>
      </a>
      <Numbers text={span.text} />
      {span.text.slice(length)}
    </>
  );
}

/** Says once what the lines mean; only of what this answer holds. */
function Legend({ parts, underlined }: { parts: readonly Segment[]; underlined: boolean }) {
  const m = useMessages();
  const written = parts.some((part) => !part.span && /\p{L}/u.test(part.text));
  if (!underlined && !written && !parts.some((part) => part.unsupported)) return null;
  return (
    <p className="legend">
      {underlined && <span className="quote rank-1">{m.answer.legendQuote}</span>}
      {written && <span>{m.answer.legendWritten}</span>}
      {parts.some((part) => part.unsupported) && <span className="unsupported">{m.answer.legendNumber}</span>}
    </p>
  );
}
