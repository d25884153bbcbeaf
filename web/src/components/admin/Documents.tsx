// The documents list with what is said of each; an admin changes it here.
import { useEffect, useState } from "react";
import { findDocuments, retireDocument } from "../../api/documents";
import type { DocumentList, DocumentSummary } from "../../api/types";
import { formatDay, useMessages } from "../../i18n";
import { Confirm } from "../shared/Confirm";
import { DocumentForm } from "./DocumentForm";
import { Load } from "./Load";

const AT_ONCE = 50;

export function Documents() {
  const m = useMessages();
  const [search, setSearch] = useState("");
  const [list, setList] = useState<DocumentList | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [loaded, setLoaded] = useState(0); // how many files came in meanwhile
  const fail = (failure: { code?: string }): void => setError(failure.code ?? "internal");
  useEffect(() => {
    let current = true;
    const wait = setTimeout(() => {
      findDocuments(search.trim(), AT_ONCE, 0).then(
        (found) => {
          if (current) [setList(found), setError(null)];
        },
        (failure) => current && fail(failure),
      );
    }, 200); // not a request for every letter
    return () => {
      current = false;
      clearTimeout(wait);
    };
  }, [search, loaded]);
  const more = (before: DocumentList): void => {
    findDocuments(search.trim(), AT_ONCE, before.documents.length).then((found) => {
      setList((now) => (now === before ? { ...found, documents: [...before.documents, ...found.documents] } : now));
    }, fail);
  };
  return (
    <div className="app">
      <header className="top">
        <nav className="bar">
          <h1 className="wordmark">
            <a href="/">{m.app.name}</a>
          </h1>
        </nav>
      </header>
      <main className="conversation" aria-label={m.admin.documents}>
        <div className="turns">
          <h2 className="admin-title">{m.admin.documents}</h2>
          <p className="muted">{m.admin.lead}</p>
          <Load onLoaded={() => setLoaded((count) => count + 1)} />
          <label className="admin-search">
            {m.admin.search}
            <input type="search" value={search} maxLength={200} onChange={(event) => setSearch(event.target.value)} />
          </label>
          {error && (
            <p className="notice serious" role="alert">
              {m.errors[error] ?? m.errors.internal}
            </p>
          )}
          {list && <p className="made">{m.admin.count(list.documents.length, list.total)}</p>}
          <ul className="cards">
            {list?.documents.map((one) => (
              <Row key={one.id} document={one} onRetired={() => setLoaded((count) => count + 1)} onFailed={fail} />
            ))}
          </ul>
          {list && list.total > list.documents.length && (
            <button type="button" className="link" onClick={() => more(list)}>
              {m.admin.more}
            </button>
          )}
        </div>
      </main>
    </div>
  );
}

interface RowProps {
  document: DocumentSummary;
  onRetired(): void;
  onFailed(failure: { code?: string }): void;
}

function Row({ document, onRetired, onFailed }: RowProps) {
  const m = useMessages();
  const [shown, setShown] = useState(document);
  const [open, setOpen] = useState(false);
  const { version, department, target_groups, valid_until } = shown;
  const facts = [
    version && m.card.version(version),
    department,
    target_groups.map((group) => m.card.groups[group]).join(", "),
    valid_until && m.card.validUntil(formatDay(valid_until, m)),
  ].filter(Boolean);
  return (
    <li className="card document">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="document-title">{shown.title}</span>
          <span className="facts">
            {[shown.source, ...facts].map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </span>
          {shown.status === "failed" && (
            <span className="caution grave">{m.admin.failed(m.admin.reasons[shown.reason] ?? shown.reason)}</span>
          )}
          {(shown.status === "failed" ? [] : shown.warnings).map((warning) => (
            <span key={warning} className="caution">
              {warning}
            </span>
          ))}
        </summary>
        {open && (
          <>
            <DocumentForm id={shown.id} onSaved={setShown} />
            <Confirm
              label={m.admin.retire}
              question={m.admin.sureRetire(shown.title)}
              yes={m.admin.yesRetire}
              no={m.sets.no}
              onYes={() => void retireDocument(shown.id).then(onRetired, onFailed)}
            />
          </>
        )}
      </details>
    </li>
  );
}
