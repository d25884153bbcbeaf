// The documents list with what is said of each; an admin changes it here.
import { useState } from "react";
import type { DocumentSummary } from "../../../api/types";
import { formatDay, useStaffMessages } from "../../../i18n";
import { useDocuments, useRetire } from "../../../queries/documents";
import { useRoles } from "../../../queries/session";
import { useDelayed } from "../../../queries/useDelayed";
import { mayLoad } from "../../../state/window/route";
import { Confirm } from "../../shared/controls/Confirm";
import { Problem } from "../../shared/controls/Problem";
import { Staff } from "../../shared/frame/Staff";
import { DocumentForm } from "./DocumentForm";
import { Load } from "./Load";
import { Notes } from "./Notes";

export function Documents() {
  const m = useStaffMessages();
  const [search, setSearch] = useState("");
  const list = useDocuments(useDelayed(search.trim()));
  const retire = useRetire();
  const mayChange = mayLoad(useRoles());
  const documents = list.data?.pages.flatMap((page) => page.documents) ?? [];
  const total = list.data?.pages.at(-1)?.total;
  const type = (words: string): void => {
    setSearch(words);
    retire.reset(); // what could not be done is said until something else is
  };
  return (
    <Staff page="documents" lead={m.admin.lead}>
      {mayChange && <Load />}
      <label className="admin-search">
        {m.admin.search}
        <input type="search" value={search} maxLength={200} onChange={(event) => type(event.target.value)} />
      </label>
      <Problem code={(list.error ?? retire.error)?.code} />
      {total !== undefined && <p className="made">{m.admin.count(documents.length, total)}</p>}
      <ul className="cards">
        {documents.map((one) => (
          <Row key={one.id} document={one} onRetire={mayChange ? () => retire.mutate(one.id) : undefined} />
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" className="link" onClick={() => void list.fetchNextPage()}>
          {m.admin.more}
        </button>
      )}
    </Staff>
  );
}

function Row({ document, onRetire }: { document: DocumentSummary; onRetire: (() => void) | undefined }) {
  const m = useStaffMessages();
  const [open, setOpen] = useState(false);
  return (
    <li className="card document">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <Summary document={document} />
        {open && (
          <>
            <DocumentForm id={document.id} />
            {onRetire && (
              <Confirm
                label={m.admin.retire}
                question={m.admin.sureRetire(document.title)}
                yes={m.admin.yesRetire}
                onYes={onRetire}
              />
            )}
          </>
        )}
      </details>
    </li>
  );
}

function Summary({ document }: { document: DocumentSummary }) {
  const m = useStaffMessages();
  const { title, source, status, reason, version, department, target_groups, valid_until } = document;
  const failed = status === "failed";
  const facts = [
    version && m.card.version(version),
    department,
    target_groups.map((group) => m.card.groups[group]).join(", "),
    valid_until && m.card.validUntil(formatDay(valid_until, m)),
  ].filter(Boolean);
  return (
    <summary>
      <span className="document-title">{title}</span>
      <span className="facts">
        {[source, ...facts].map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
      {failed && <span className="caution grave">{m.admin.failed(m.admin.reasons[reason] ?? reason)}</span>}
      <Notes {...document} failed={failed} />
    </summary>
  );
}
