// What stands under a whole answer: how it was made, and what can be done with it. It comes with
// the first answer.
import { type MouseEvent, useState } from "react";
import type { Answer } from "../../api/types";
import { formatInstant, formatSeconds, useWardMessages } from "../../i18n";
import type { AnswerState } from "../../state/conversation/answer";
import { askPath } from "../../state/window/route";
import { belowHeading, partsOf } from "../../text/answer/parts";
import { originOf } from "../../text/documents/facts";
import { CopyLink } from "../shared/controls/CopyLink";
import { lazyPart } from "../shared/controls/lazyPart";
import { Optional } from "../shared/controls/Optional";
import "../../styles/media/large.css";

const PlaceLink = lazyPart(async () => (await import("../shared/controls/PlaceLink")).PlaceLink);

interface Props {
  state: Extract<AnswerState, { kind: "complete" }>;
  onEdit: ((question: string) => void) | undefined;
}

/** "4 sources, 1.2 s", which model wrote where one did, and a button that copies the words. */
export function Made({ state, onEdit }: Props) {
  const m = useWardMessages();
  const [copied, setCopied] = useState(false);
  const { answer, sources, model, mode, stats } = state.answer;
  const milliseconds = state.milliseconds ?? (typeof stats.seconds === "number" ? stats.seconds * 1000 : null);
  const parts = [m.made.sources(sources.length)];
  if (milliseconds !== null) parts.push(m.answer.seconds(formatSeconds(milliseconds, m)));
  if (answer && model && mode === "answer") parts.push(m.made.model(model === "demo" ? m.made.demoModel : model));
  const recalled = state.milliseconds === null;
  const copy = async ({ currentTarget }: MouseEvent): Promise<void> => {
    const drawn = currentTarget.closest(".turn")?.querySelector(".answer-text");
    if (!drawn) return;
    const { copyAnswer } = await import("./formatted");
    setCopied(await copyAnswer(drawn, answer, originOf(state.answer, m)));
  };
  return (
    <>
      <p className="made">
        {recalled && <span>{m.made.given(formatInstant(state.answer.created_at, m), isUnchanged(state.answer))}</span>}
        <span>{parts.join(" · ")}</span>
        {answer && (
          <button type="button" className="link" onClick={(event) => void copy(event)}>
            {copied ? m.made.copied : m.made.copy}
          </button>
        )}
        {onEdit && (
          <button type="button" className="link" onClick={() => onEdit(state.answer.question)}>
            {m.made.edit}
          </button>
        )}
        <ColleagueLink answer={state.answer} />
        <button type="button" className="link" onClick={({ currentTarget }) => printAlone(currentTarget)}>
          {m.made.print}
        </button>
      </p>
      <Judged answer={state.answer} />
    </>
  );
}

/** What quality staff said of it since. */
function Judged({ answer: { judged } }: { answer: Answer }) {
  const m = useWardMessages();
  if (!judged) return null;
  const { verdict, remark, judged_at } = judged;
  return (
    <p className={verdict === "wrong" || verdict === "harmful" ? "notice serious" : "notice calm"}>
      {m.made.judged(m.made.verdicts[verdict], formatInstant(judged_at, m))} {remark && <q>{remark}</q>}
    </p>
  );
}

/** Whether what it is from counts as it did; of what is withheld nothing is told. */
const isUnchanged = ({ since, status, sources, notices }: Answer): boolean =>
  (status === "answered" || status === "sources_only") &&
  sources.length > 0 &&
  since.length === 0 &&
  notices.every(({ code }) => code !== "withheld");

/** The whole conversation is printed where conversations are listed, or by the browser. */
function printAlone(button: Element): void {
  const turn = button.closest(".turn");
  const set = (alone: boolean): void => void turn?.toggleAttribute("data-alone", alone);
  set(true);
  addEventListener("afterprint", () => set(false), { once: true });
  window.print();
}

/**
 * A colleague may not open this answer, which is its asker's: the link leads to the quoted words,
 * else to the question, to be asked.
 */
function ColleagueLink({ answer: { spans, question } }: { answer: Answer }) {
  const m = useWardMessages();
  const part = partsOf(spans).find(([{ text, document_id } = { text: "", document_id: "" }]) => text && document_id);
  const first = part?.[0];
  if (!part || !first) return <CopyLink path={askPath(question)} label={m.made.copyQuestionLink} />;
  const { page } = belowHeading(part, first);
  const place = { document: first.document_id, page, quotes: part.map(({ text }) => text) };
  return (
    <Optional fallback={null}>
      <PlaceLink place={place} label={m.made.copySourceLink} />
    </Optional>
  );
}
