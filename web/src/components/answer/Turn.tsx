// One question with its answer: notices, the answer's words, how long it took, its sources.
import type { PersonalChoice, Span } from "../../api/types";
import { type Messages, useMessages } from "../../i18n";
import { useSession } from "../../queries/session";
import { type AnswerState, isInForce, isRead, isRefused, view } from "../../state/conversation/answer";
import type { Opened } from "../../state/conversation/conversation";
import { originOf } from "../../text/documents/facts";
import { AfterRefusal } from "../owners/lazily";
import { Optional } from "../shared/controls/Optional";
import { InForce } from "../steps/inForce";
import { copyWithOrigin } from "./copying";
import { Notices, noticesOf } from "./notices/Notices";
import { Progress } from "./Progress";
import { Sources } from "./sources/Sources";
import { AnswerText } from "./text/AnswerText";
import { Feedback, Identity, Made, PrintedSources, ReadAloud } from "./text/lazily";

interface Props {
  state: AnswerState;
  opened: Opened | null; // when the open source is one of this answer
  latest: boolean;
  onOpen(rank: number, span?: Span): void;
  onAgain(question: string): void;
  onEdit?: ((question: string, literal?: boolean) => void) | undefined;
  onLiteral(question: string): void;
  onPersonal(question: string, personal: PersonalChoice): void;
  onWhole?: ((question: string, document: string) => void) | undefined; // read this document whole, and answer from it
  feedback?: boolean; // whether the reader is asked what they think of it
}

/** Its words alone where it is `far`: in the same elements, so that these stay in their place. */
export function Turn({ id, far, ...whole }: Props & { id: string; far: boolean }) {
  const { question, text, language } = view(whole.state);
  return (
    <article className="turn" id={id}>
      <h2 className="question">{question}</h2>
      {far ? (
        <div className="answer-text" lang={language || undefined}>
          <p>{text}</p>
        </div>
      ) : (
        <Whole {...whole} />
      )}
    </article>
  );
}

function Whole({
  state,
  opened,
  latest,
  onOpen,
  onAgain,
  onEdit,
  onLiteral,
  onPersonal,
  onWhole,
  feedback: wanted = true,
}: Props) {
  const m = useMessages();
  const { pack, hands_free } = useSession().data ?? {};
  const feedback = !pack && wanted; // a downtime pack keeps none
  const { question, query, text, spans, sources, unsupported, language, mode } = view(state);
  const refused = isRefused(state);
  const inForce = isInForce(view(state));
  const writing = state.kind === "working";
  const asks = state.kind === "failed" && state.refusal !== undefined && state.refusal.instead !== "";
  const ended = (state.kind === "failed" && !asks) || state.kind === "stopped" || wasCutShort(state);
  return (
    <>
      {query !== question && (
        <p className="searched">
          <span>{m.answer.query(query)}</span>
          {onEdit && (
            <button type="button" className="link" onClick={() => onEdit(query, true)}>
              {m.answer.editQuery}
            </button>
          )}
          <button type="button" className="link" onClick={() => onLiteral(question)}>
            {m.answer.literal}
          </button>
        </p>
      )}
      <Notices {...{ state, onOpen }} onAsk={onLiteral} />
      {(spans.length > 0 || refused || !latest) && (
        <Optional fallback={null}>
          <PrintedSources state={state} />
        </Optional>
      )}
      {text && (
        <div onCopy={(event) => copyWithOrigin(event, originOf(view(state), m))}>
          <InForce value={inForce}>
            <AnswerText
              id={state.kind === "complete" && inForce ? state.answer.id : ""}
              {...{ text, spans, sources, writing, language, unsupported }}
              lacks={noticesOf(state, m).find(({ code }) => code === "table_in_part")}
              onSpan={(span) => onOpen(span.rank, span)}
            />
          </InForce>
        </div>
      )}
      {writing && <Progress state={state} />}
      {asks && (
        <Optional fallback={null}>
          <Identity state={state} onPersonal={onPersonal} />
        </Optional>
      )}
      {ended && (
        <button type="button" className="button" onClick={() => onAgain(question)}>
          {m.answer.again}
        </button>
      )}
      {state.kind === "complete" && (
        <Optional fallback={null}>
          <Made state={state} onEdit={onEdit} />
        </Optional>
      )}
      {state.kind === "complete" && hands_free && (
        <Optional fallback={null}>
          <ReadAloud state={state} latest={latest} />
        </Optional>
      )}
      {state.kind === "complete" && feedback && !refused && (
        <Optional fallback={null}>
          <Feedback answer={state.answer} />
        </Optional>
      )}
      <Sources
        key={String(latest)}
        {...{ sources, spans, opened, refused, onOpen }}
        asked={query}
        answerId={state.kind === "complete" && feedback ? state.answer.id : undefined}
        heading={headingOf(state, m)}
        said={noticesOf(state, m).map((one) => one.text)}
        folded={!latest}
        onWhole={onWhole && latest && mode === "answer" ? (document) => onWhole(query, document) : undefined}
      />
      {state.kind === "complete" && feedback && refused && (
        <Optional fallback={null}>
          <AfterRefusal answerId={state.answer.id} />
        </Optional>
      )}
    </>
  );
}

/** Of an answer that was stored: its reader stopped it, or it broke off. */
function wasCutShort(state: AnswerState): boolean {
  if (state.kind !== "complete") return false;
  return state.answer.status === "failed" || state.answer.notices.some(({ code }) => code === "stopped");
}

function headingOf(state: AnswerState, m: Messages): string | null {
  if (isRead(state)) return m.answer.beingRead;
  return isRefused(state) ? m.answer.nearest : null;
}
