// A button of quality staff under what was asked in vain, and what it opens: the question for a
// colleague, about no document.
import { type FormEvent, useId, useState } from "react";
import type { PersonalChoice } from "../../api/types";
import { useOwnerMessages } from "../../i18n";
import { usePassOn } from "../../queries/owners";
import { pathOf } from "../../state/window/route";
import { Dialog } from "../shared/controls/Dialog";
import { Colleague } from "../shared/document/Colleague";
import { NotKept } from "../shared/document/Personal";
import { notSent, Send, useDraft } from "./DialogParts";
import "../../styles/answer/owner.css";

const LONGEST = 4000; // characters: the service's limit

interface Props {
  answerId: string; // under which it was asked
  asked: string;
}

export function PassOn({ answerId, asked }: Props) {
  const m = useOwnerMessages();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="link card-owner"
        aria-label={`${m.askOwner.toColleague}: ${asked}`}
        onClick={() => setOpen(true)}
      >
        {m.askOwner.toColleague}
      </button>
      {open && <Form answerId={answerId} asked={asked} onClose={() => setOpen(false)} />}
    </>
  );
}

function Form({ answerId, asked, onClose }: Props & { onClose(): void }) {
  const m = useOwnerMessages();
  const id = useId();
  const [{ text, to }, edit, forget] = useDraft(`pass ${answerId}`, { text: asked, to: "" });
  const { mutate, data: sent, error, isPending, reset } = usePassOn(answerId, forget);
  const ready = text.trim() !== "" && to.trim() !== "";
  const send = (personal_data: PersonalChoice): void => {
    if (ready && !isPending) mutate({ text: text.trim(), to: to.trim(), personal_data });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send("stop");
  };
  return (
    <Dialog
      title={sent ? m.askOwner.sentTitle.question : m.askOwner.toColleague}
      close={m.askOwner.close}
      onClose={onClose}
      action={!sent && <Send form={id} isPending={isPending} disabled={!ready} />}
    >
      {sent ? (
        <p role="status">
          {m.askOwner.sent("question", sent.owner, sent.by_mail)}{" "}
          <a href={`${pathOf("inbox")}#asked-${sent.question.id}`}>{m.askOwner.read}</a>
        </p>
      ) : (
        <form id={id} onSubmit={submit} onChange={() => error && reset()}>
          <Colleague label={m.askOwner.whom} className="owner-field" value={to} onValue={(to) => edit({ to })} />
          <label className="owner-field">
            {m.askOwner.words}
            <textarea
              rows={4}
              required
              maxLength={LONGEST}
              value={text}
              aria-describedby={`${id}-help`}
              onChange={(event) => edit({ text: event.target.value })}
            />
          </label>
          <p className="muted owner-help" id={`${id}-help`}>
            {m.askOwner.wordsAlong} {m.askOwner.colleagueHelp}
          </p>
          <NotKept error={error} words={notSent(error?.code, m.askOwner.notToReader, m)} onPersonal={send} />
        </form>
      )}
    </Dialog>
  );
}
