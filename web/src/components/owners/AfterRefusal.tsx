// Under a refusal: the reader knows the procedure that holds the answer, or says that there is
// none. For the gap report and the owners.
import { useId, useState } from "react";
import type { DocumentSummary } from "../../api/types";
import { failureWords, useOwnerMessages } from "../../i18n";
import { useDocumentsCalled } from "../../queries/documents/pages";
import { useFeedback } from "../../queries/feedback";
import { useDelayed } from "../../queries/useDelayed";
import { placePath } from "../../state/window/route";
import "../../styles/answer/owner.css";

export function AfterRefusal({ answerId }: { answerId: string }) {
  const m = useOwnerMessages();
  const title = useId();
  const [looks, setLooks] = useState(false);
  const [named, setNamed] = useState<DocumentSummary | null>(null);
  const { mutate, isPending, isSuccess, error } = useFeedback(answerId);
  const choose = (document: DocumentSummary): void =>
    mutate({ found: "no", missing: "procedure", document_id: document.id }, { onSuccess: () => setNamed(document) });
  return (
    <section className="after-refusal" aria-labelledby={title}>
      <h3 id={title}>{m.refused.title}</h3>
      {!isSuccess && (
        <>
          <p className="owner-choices">
            <button type="button" className="button" aria-expanded={looks} onClick={() => setLooks(!looks)}>
              {m.refused.knows}
            </button>
            <button
              type="button"
              className="button"
              disabled={isPending}
              onClick={() => mutate({ found: "no", missing: "document" })}
            >
              {m.refused.missing}
            </button>
          </p>
          {looks && <Finder disabled={isPending} onChoose={choose} />}
        </>
      )}
      <div role="status">{isSuccess && (named ? <Named document={named} /> : <p>{m.refused.thanksMissing}</p>)}</div>
      {error && (
        <p className="notice serious" role="alert">
          {failureWords(error.code, m)}
        </p>
      )}
    </section>
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
  return (
    <div className="after-refusal-finder">
      <label className="owner-field">
        {m.refused.find}
        <input type="search" value={typed} maxLength={200} onChange={(event) => setTyped(event.target.value)} />
      </label>
      <p className="muted" role="status">
        {search && found && m.refused.found(found.length)}
      </p>
      {error && (
        <p className="notice serious" role="alert">
          {failureWords(error.code, m)}
        </p>
      )}
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
