// A button under a document or over its pages, and what it opens: a question for the document's
// owner, or a report that something is no longer right or never was.
import { type FormEvent, useId, useState } from "react";
import type { OwnerQuestionIn, PersonalChoice, Source } from "../../api/types";
import { useOwnerMessages } from "../../i18n";
import { useAskOwner } from "../../queries/owners";
import { pathOf } from "../../state/window/route";
import { Dialog } from "../shared/controls/Dialog";
import { Colleague } from "../shared/document/Colleague";
import { NotKept } from "../shared/document/Personal";
import { CanHarm, Kinds, notSent, Passages, Send, useAlong, useDraft } from "./DialogParts";
import { WhoReads } from "./WhoReads";
import "../../styles/answer/owner.css";

type Kind = OwnerQuestionIn["kind"];

type About = Pick<Source, "document_id" | "title" | "language" | "owner"> & { page: number | null };

interface Props {
  about: About;
  answerId?: string; // under which one asks
  asked?: string; // what no document answered
  quotes?: readonly string[]; // the words that it is about, which go along
  kind?: Kind; // what it begins as
  passes?: boolean; // quality staff pass on what others asked, to whom they name
}

export function AskOwner({
  about,
  answerId,
  asked = "",
  quotes = [],
  kind = asked ? "question" : "report",
  passes,
}: Props) {
  const m = useOwnerMessages();
  const [open, setOpen] = useState(false);
  const label = passes ? m.askOwner.passOn : m.askOwner.label;
  return (
    <>
      <button
        type="button"
        className="link card-owner"
        aria-label={`${label}: ${about.title}`}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {open && (
        <Form {...{ about, answerId, asked, quotes, label, passes }} first={kind} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

const KINDS: readonly Kind[] = ["question", "report", "error"];
const LONGEST = 4000; // characters: the service's limit

interface FormProps {
  about: About;
  answerId: string | undefined;
  asked: string;
  quotes: readonly string[];
  label: string;
  passes: boolean | undefined;
  first: Kind;
  onClose(): void;
}

function Form({ about, answerId, asked, quotes, label, passes, first, onClose }: FormProps) {
  const m = useOwnerMessages();
  const id = useId();
  const place = `owner ${about.document_id} ${answerId ?? ""}`;
  const [draft, edit, forget] = useDraft(place, { kind: first, text: asked, to: "", canHarm: false });
  const { kind, text, to, canHarm } = draft;
  const along = useAlong(quotes, asked === ""); // a passage that does not answer goes along if its reader wants
  const { mutate, data: sent, error, isPending, reset } = useAskOwner(about.document_id, forget);
  const send = (personal_data: PersonalChoice): void => {
    if (!text.trim() || isPending || along.tooLong) return;
    const said = { kind, text: text.trim() + along.text, page: about.page, answer_id: answerId ?? null, personal_data };
    mutate({ ...said, to: to.trim() || null, can_harm: canHarm });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send("stop");
  };
  return (
    <Dialog
      title={sent ? m.askOwner.sentTitle[kind] : label}
      close={m.askOwner.close}
      onClose={onClose}
      action={!sent && <Send form={id} isPending={isPending} disabled={!text.trim() || along.tooLong} />}
    >
      <p>
        <span lang={about.language || undefined}>{about.title}</span>
        <br />
        {!sent && !to.trim() && <WhoReads document={about.document_id} named={about.owner} />}
      </p>
      {sent ? (
        <p role="status">
          {sent.owner ? m.askOwner.sent(kind, sent.owner, sent.by_mail) : m.askOwner.sentToQuality(kind)}{" "}
          <a href={`${pathOf("inbox")}#asked-${sent.question.id}`}>{m.askOwner.read}</a>
        </p>
      ) : (
        <form id={id} onSubmit={submit} onChange={() => error && reset()}>
          <Kinds
            legend={m.askOwner.kind}
            kinds={KINDS}
            labels={m.askOwner.kinds}
            name={`${id}-kind`}
            value={kind}
            onValue={(kind) => edit({ kind })}
          />
          <CanHarm value={canHarm} onValue={(canHarm) => edit({ canHarm })} />
          {passes && (
            <Colleague
              label={m.askOwner.to}
              className="owner-field"
              document={about.document_id}
              value={to}
              onValue={(to) => edit({ to })}
            />
          )}
          <label className="owner-field">
            {m.askOwner.text}
            <textarea
              rows={4}
              required
              maxLength={Math.max(LONGEST - along.text.length, 0)}
              value={text}
              aria-describedby={`${id}-help`}
              onChange={(event) => edit({ text: event.target.value })}
            />
          </label>
          <p className="muted owner-help" id={`${id}-help`}>
            {answerId && m.askOwner.questionAlong} {m.askOwner.help}
          </p>
          <Passages along={along} language={about.language} />
          <NotKept error={error} words={notSent(error?.code, m.askOwner.notTo, m)} onPersonal={send} />
        </form>
      )}
    </Dialog>
  );
}
