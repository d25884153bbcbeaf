// Under a refusal: the reader knows the procedure that holds the answer, knows that there is one,
// or says that there is none. For the gap report and the owners.
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { DocumentSummary, PersonalChoice } from "../../api/types";
import { useOwnerMessages } from "../../i18n";
import { useDocumentsCalled } from "../../queries/documents/pages";
import { useFeedback } from "../../queries/feedback";
import { useDelayed } from "../../queries/useDelayed";
import { placePath } from "../../state/window/route";
import { Problem } from "../shared/controls/Problem";
import { NotKept } from "../shared/document/Personal";
import "../../styles/answer/owner.css";

const LACKS = ["procedure", "document"] as const; // there is one of unknown title; there is none

export function AfterRefusal({ answerId }: { answerId: string }) {
  const m = useOwnerMessages();
  const title = useId();
  const [looks, setLooks] = useState(false);
  const [said, setSaid] = useState<(typeof LACKS)[number] | DocumentSummary | null>(null);
  const [worded, setWorded] = useState(false);
  const { mutate, isPending, error } = useFeedback(answerId);
  const choose = (document: DocumentSummary): void =>
    mutate({ found: "no", missing: "procedure", document_id: document.id }, { onSuccess: () => setSaid(document) });
  return (
    <section className="after-refusal" aria-labelledby={title}>
      <h3 id={title}>{m.refused.title}</h3>
      {said === null && (
        <>
          <p className="owner-choices">
            <button type="button" className="button" aria-expanded={looks} onClick={() => setLooks(!looks)}>
              {m.refused.knows}
            </button>
            {LACKS.map((one) => (
              <button
                key={one}
                type="button"
                className="button"
                disabled={isPending}
                onClick={() => mutate({ found: "no", missing: one }, { onSuccess: () => setSaid(one) })}
              >
                {m.refused.lacks[one]}
              </button>
            ))}
          </p>
          {looks && <Finder disabled={isPending} onChoose={choose} />}
        </>
      )}
      <div role="status">
        {typeof said === "string" && <p>{worded ? m.refused.sent : m.refused.thanks[said]}</p>}
        {said !== null && typeof said === "object" && <Named document={said} />}
      </div>
      <Problem code={error?.code} />
      {typeof said === "string" && !worded && <OwnWords answerId={answerId} onSent={() => setWorded(true)} />}
    </section>
  );
}

/** Brings what opens, and what comes into it, above the question box. */
function useInView<Drawn extends HTMLElement>(held?: unknown) {
  const drawn = useRef<Drawn>(null);
  useEffect(() => {
    if (held !== null) drawn.current?.scrollIntoView({ block: "nearest" });
  }, [held]);
  return drawn;
}

const LONGEST = 4000; // characters: the service's limit

/** What else the reader knows of it, if anything: kept with the question. */
function OwnWords({ answerId, onSent }: { answerId: string; onSent(): void }) {
  const m = useOwnerMessages();
  const help = useId();
  const [words, setWords] = useState("");
  const { mutate, isPending, error, reset } = useFeedback(answerId);
  const send = (personal_data: PersonalChoice): void => {
    if (words.trim() && !isPending) mutate({ comment: words.trim(), personal_data }, { onSuccess: onSent });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send("stop");
  };
  return (
    <form className="own-words" ref={useInView<HTMLFormElement>()} onSubmit={submit}>
      <label className="owner-field">
        {m.refused.words}
        <textarea
          rows={2}
          maxLength={LONGEST}
          value={words}
          aria-describedby={help}
          onChange={(event) => {
            setWords(event.target.value);
            reset();
          }}
        />
      </label>
      <p className="muted owner-help" id={help}>
        {m.refused.wordsHelp}
      </p>
      <button type="submit" className="button" disabled={isPending || !words.trim()}>
        {m.refused.send}
      </button>
      <NotKept error={error} onPersonal={send} />
    </form>
  );
}

function Named({ document: { id, title, language } }: { document: DocumentSummary }) {
  const m = useOwnerMessages();
  return (
    <p>
      {m.refused.thanksNamed}{" "}
      <a className="link" href={placePath({ document: id, page: 1, quotes: [] })} lang={language || undefined}>
        {title}
      </a>
    </p>
  );
}

function Finder({ disabled, onChoose }: { disabled: boolean; onChoose(document: DocumentSummary): void }) {
  const m = useOwnerMessages();
  const [typed, setTyped] = useState("");
  const search = useDelayed(typed.trim());
  const { data: found, error } = useDocumentsCalled(search);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <div className="after-refusal-finder" ref={useInView<HTMLDivElement>(found)}>
      <label className="owner-field">
        {m.refused.find}
        <input
          ref={input}
          type="search"
          value={typed}
          maxLength={200}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <p className="muted" role="status">
        {search && found && m.refused.found(found.length)}
      </p>
      <Problem code={error?.code} />
      {search && found && found.length > 0 && (
        <ul>
          {found.map((document) => (
            <li key={document.id}>
              <button type="button" className="link" disabled={disabled} onClick={() => onChoose(document)}>
                <span lang={document.language || undefined}>{document.title}</span>
              </button>{" "}
              <span className="muted">
                {[document.department, document.version && m.card.version(document.version)].filter(Boolean).join(", ")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
