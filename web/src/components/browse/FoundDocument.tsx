// A procedure that the finder found: what it is, and the way to it.
import type { DocumentSummary } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { placePath } from "../../state/window/route";
import { isExpired, validityOf } from "../../text/documents/facts";
import { Favourite } from "../shared/controls/Favourite";

export function FoundDocument({ document }: { document: DocumentSummary }) {
  const m = useStaffMessages();
  const { id, title, language, version, department, document_type, owner, replaced_by } = document;
  const validity = validityOf(document, m);
  const facts = [
    department,
    m.scope.types[document_type] ?? document_type,
    version && m.card.version(version),
    owner && m.card.owner(owner),
  ];
  return (
    <li className="card finder-row">
      <a
        className="link document-title"
        href={placePath({ document: id, page: 1, quotes: [] })}
        lang={language || undefined}
      >
        {title}
      </a>
      <span className="facts">
        {facts.filter(Boolean).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {validity && <span className={isExpired(document) ? "warn" : undefined}>{validity}</span>}
        {replaced_by && <span className="warn">{m.admin.replacedBy(replaced_by.title, replaced_by.version)}</span>}
      </span>
      <Favourite id={id} source={document.source} title={title} />
    </li>
  );
}
