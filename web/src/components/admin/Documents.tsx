// The documents list with what is said of each; an admin changes it here.
import { useEffect, useState } from "react";
import { findDocuments } from "../../api/documents";
import type { DocumentList, DocumentSummary } from "../../api/types";
import { formatDay, useMessages } from "../../i18n";
import { DocumentForm } from "./DocumentForm";

const AT_ONCE = 50;

export function Documents() {
  const m = useMessages();
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState(AT_ONCE);
  const [list, setList] = useState<DocumentList | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    const wait = setTimeout(() => {
      findDocuments(search.trim(), limit, 0).then(
        (found) => {
          if (current) [setList(found), setError(null)];
        },
        (failure) => current && setError(failure.code ?? "internal"),
      );
    }, 200); // not a request for every letter
    return () => {
      current = false;
      clearTimeout(wait);
    };
  }, [search, limit]);
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
              <Row key={one.id} document={one} />
            ))}
          </ul>
          {list && list.total > list.documents.length && limit < 200 && (
            <button type="button" className="link" onClick={() => setLimit(200)}>
              {m.admin.more}
            </button>
          )}
        </div>
      </main>
    </div>
  );
}

function Row({ document }: { document: DocumentSummary }) {
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
          {shown.status === "failed" && <span className="caution grave">{m.admin.failed(shown.reason)}</span>}
          {shown.warnings.map((warning) => (
            <span key={warning} className="caution">
              {warning}
            </span>
          ))}
        </summary>
        {open && <DocumentForm id={shown.id} onSaved={setShown} />}
      </details>
    </li>
  );
}
