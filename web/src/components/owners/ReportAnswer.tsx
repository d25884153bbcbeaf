// A button under an answer, and what it opens: it is wrong, or out of date, with a line on what is.
// It goes to the document's owner.
import { type FormEvent, useId, useState } from "react";
import type { Answer, PersonalChoice, Reported } from "../../api/types";
import { useOwnerMessages } from "../../i18n";
import { useFeedback } from "../../queries/feedback";
import { pathOf } from "../../state/window/route";
import { Choice } from "../shared/controls/Choice";
import { Dialog } from "../shared/controls/Dialog";
import { NotKept } from "../shared/document/Personal";
import { CanHarm, Kinds, Passages, Send, useAlong, useDraft } from "./DialogParts";
import { WhoReads } from "./WhoReads";
import "../../styles/answer/owner.css";

const KINDS: readonly Reported[] = ["wrong", "outdated"];
const LONGEST = 4000; // characters: the service's limit

export function ReportAnswer({ answer }: { answer: Answer }) {
  const m = useOwnerMessages();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {m.report.label}
      </button>
      {open && <Form answer={answer} onClose={() => setOpen(false)} />}
    </>
  );
}

interface Draft {
  kind: Reported;
  document: string;
  comment: string;
  canHarm: boolean;
}

function Form({ answer, onClose }: { answer: Answer; onClose(): void }) {
  const m = useOwnerMessages();
  const id = useId();
  const documents = quotedDocuments(answer);
  const first: Draft = { kind: "wrong", document: documents[0]?.[0] ?? "", comment: "", canHarm: false };
  const [draft, edit, forget] = useDraft(`report ${answer.id}`, first);
  const { kind, document, comment, canHarm } = draft;
  const along = useAlong(answer.spans.filter((span) => span.document_id === document).map(({ text }) => text));
  const some = along.chosen.length < along.quotes.length ? along.text : ""; // all of them go along by themselves
  const tooLong = some !== "" && along.tooLong;
  const { mutate, data: sent, error, isPending, reset } = useFeedback(answer.id, forget);
  const send = (personal_data: PersonalChoice): void => {
    const said = comment.trim();
    if (said && !isPending && !tooLong)
      mutate({
        reported: kind,
        comment: said + some,
        document_id: document || null,
        can_harm: canHarm,
        personal_data,
      });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send("stop");
  };
  return (
    <Dialog
      title={m.report.label}
      close={m.askOwner.close}
      onClose={onClose}
      action={!sent && <Send form={id} isPending={isPending} disabled={!comment.trim() || tooLong} />}
    >
      {sent ? (
        <p role="status">
          {sent.owner ? m.askOwner.sent("report", sent.owner, sent.by_mail) : m.report.toQuality}{" "}
          {sent.owner !== null && <a href={pathOf("inbox")}>{m.askOwner.read}</a>}
        </p>
      ) : (
        <form id={id} onSubmit={submit} onChange={() => error && reset()}>
          <Kinds
            legend={m.report.kind}
            kinds={KINDS}
            labels={m.report.kinds}
            name={`${id}-kind`}
            value={kind}
            onValue={(kind) => edit({ kind })}
          />
          <CanHarm value={canHarm} onValue={(canHarm) => edit({ canHarm })} />
          {documents.length > 1 && (
            <Choice
              className="owner-field"
              label={m.report.document}
              value={document}
              options={documents}
              onValue={(document) => edit({ document })}
            />
          )}
          <label className="owner-field">
            {m.report.text}
            <input
              required
              maxLength={Math.max(LONGEST - some.length, 0)}
              value={comment}
              aria-describedby={`${id}-help`}
              onChange={(event) => edit({ comment: event.target.value })}
            />
          </label>
          <Passages
            along={{ ...along, tooLong }}
            language={answer.sources.find((one) => one.document_id === document)?.language ?? ""}
          />
          {document && <WhoReads document={document} named={ownerOf(answer, document)} />}
          <p className="muted owner-help" id={`${id}-help`}>
            {m.report.help}
          </p>
          <NotKept error={error} onPersonal={send} />
        </form>
      )}
    </Dialog>
  );
}

const ownerOf = ({ sources }: Answer, document: string): string =>
  sources.find(({ document_id }) => document_id === document)?.owner ?? "";

/** Those that the answer quotes, else those that it shows: id and title, each once, in order. */
function quotedDocuments({ sources, spans }: Answer): [string, string][] {
  const quoted = sources.filter(({ rank }) => spans.some((span) => span.rank === rank));
  return [...new Map((quoted.length > 0 ? quoted : sources).map((one) => [one.document_id, one.title]))];
}
