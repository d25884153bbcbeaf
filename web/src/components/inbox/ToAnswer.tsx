// A question that waits for this reader: answered, being corrected, or the document taken out.
import { useId, useState } from "react";
import type { OwnerQuestion, OwnerReply, PersonalChoice } from "../../api/types";
import { useOwnerMessages } from "../../i18n";
import { useReply } from "../../queries/owners";
import { useRoles } from "../../queries/session";
import { pathOf, rolesOf } from "../../state/window/route";
import { Confirm } from "../shared/controls/Confirm";
import { NotKept } from "../shared/document/Personal";
import { Question, strandedWords } from "./Question";

const LONGEST = 4000; // characters: the service's limit

export function ToAnswer({ question }: { question: OwnerQuestion }) {
  return (
    <Question question={question}>
      <Missing question={question} />
      {question.outcome === null && <Form question={question} />}
    </Question>
  );
}

/** Why this is on the list of quality staff, or on its owner's again, where it is. */
function Missing({ question }: { question: OwnerQuestion }) {
  const { outcome, passed_to, nobody_left, not_told } = question;
  const m = useOwnerMessages();
  const names = useRoles().some((role) => rolesOf("owners").includes(role));
  const why = [strandedWords(question, m), not_told && outcome === null && m.inbox.notTold].filter(Boolean).join(" ");
  if (!why) return null;
  return (
    <p className="caution">
      {why}{" "}
      {names && !passed_to && !nobody_left && (
        <a className="link" href={pathOf("owners")}>
          {m.inbox.nameOwner}
        </a>
      )}
    </p>
  );
}

function Form({ question: { id, document_id, title, version, file, may_retire } }: { question: OwnerQuestion }) {
  const m = useOwnerMessages();
  const help = useId();
  const [text, setText] = useState("");
  const [none, setNone] = useState(false); // there is a reason to give none
  const [last, setLast] = useState<OwnerReply["outcome"]>("answered");
  const { mutate, error, isPending, reset } = useReply(id);
  const send = (outcome: OwnerReply["outcome"], personal_data: PersonalChoice = "stop"): void => {
    setLast(outcome);
    if (!isPending) mutate({ outcome, text, personal_data });
  };
  return (
    <>
      <label className="owner-field">
        {m.inbox.reply}
        <textarea
          rows={3}
          maxLength={LONGEST}
          value={text}
          aria-describedby={help}
          onChange={(event) => {
            setText(event.target.value);
            reset();
          }}
        />
      </label>
      <p className="muted owner-help" id={help}>
        {m.inbox.replyHelp}
      </p>
      <NotKept error={error} words={wordsOf(error?.code)} onPersonal={(choice) => send(last, choice)} />
      <div className="owner-choices">
        <button
          type="button"
          className="button primary"
          disabled={!text.trim() || isPending}
          onClick={() => send("answered")}
        >
          {m.inbox.answer}
        </button>
        {document_id !== null && (
          <button type="button" className="button" disabled={isPending} onClick={() => send("mended")}>
            {m.inbox.mend}
          </button>
        )}
      </div>
      {may_retire && (
        <div className="owner-retire">
          <Confirm
            label={m.inbox.retire}
            question={m.inbox.sureRetire(title, version, file)}
            yes={m.inbox.yesRetire}
            disabled={!none && !text.trim()}
            onYes={() => send("retired")}
          >
            {!text.trim() && (
              <span className="ask-owner-kinds">
                <label>
                  <input type="checkbox" checked={none} onChange={(event) => setNone(event.target.checked)} />
                  {m.inbox.noReason}
                </label>
              </span>
            )}
          </Confirm>
        </div>
      )}
    </>
  );

  function wordsOf(code = ""): string | undefined {
    return { conflict: m.inbox.conflict, not_allowed: m.inbox.notYours }[code];
  }
}
