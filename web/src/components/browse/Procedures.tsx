// The procedure finder: all that this reader may read, by words of the title, department, type and
// validity.
import type { DocumentSummary, Validity } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { useFacets } from "../../queries/documents/facets";
import { allProcedures, type DocumentFilters, LAPSING, useProcedures } from "../../queries/documents/pages";
import { useRelated } from "../../queries/documents/related";
import { useRoles } from "../../queries/session";
import { useDelayed } from "../../queries/useDelayed";
import { placePath, rolesOf } from "../../state/window/route";
import { useKeptHere, usePlaceKept } from "../../state/window/useKeptHere";
import { isExpired, validityOf } from "../../text/documents/facts";
import { isReviewLate, reviewedWords } from "../../text/documents/reviewed";
import { Choice } from "../shared/controls/Choice";
import { Favourite } from "../shared/controls/Favourite";
import { Problem } from "../shared/controls/Problem";
import { SaveList } from "../shared/document/SaveList";
import { StillHolds } from "../shared/document/StillHolds";
import { Staff } from "../shared/frame/Staff";

const VALIDITIES = ["valid", "expired", "upcoming"] as const satisfies readonly Validity[];
const REVIEWED = [...VALIDITIES, ...LAPSING] as const; // for who watches over them
const ALL: DocumentFilters = { search: "", department: "", document_type: "", validity: "" };

export function Procedures() {
  const m = useStaffMessages();
  const [filters, filter] = useKeptHere(ALL);
  const wanted = { ...filters, search: useDelayed(filters.search.trim()) };
  const list = useProcedures(wanted);
  const watches = useWatches();
  usePlaceKept(list.isSuccess);
  const documents = list.data?.pages.flatMap((page) => page.documents) ?? [];
  const total = list.data?.pages.at(-1)?.total;
  const near = filters.validity === "" || filters.validity === "valid";
  const related = useRelated(wanted).data ?? [];
  return (
    <Staff page="procedures" lead={m.find.lead}>
      <Filters filters={filters} onFilters={filter} />
      <Problem code={list.error?.code} />
      <p className="made" role="status">
        {total !== undefined && m.find.count(documents.length, total, near && related.length > 0)}
      </p>
      {watches && documents.length > 0 && <SaveList everything={() => allProcedures(wanted)} />}
      <ul className="cards found-procedures">
        {documents.map((one) => (
          <Row key={one.id} document={one} />
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" className="link" onClick={() => void list.fetchNextPage()}>
          {m.admin.more}
        </button>
      )}
      {near && related.length > 0 && <Related documents={related} />}
    </Staff>
  );
}

/** Over what lapses. */
const useWatches = (): boolean => useRoles().some((role) => role !== "reader");

interface FiltersProps {
  filters: DocumentFilters;
  onFilters(part: Partial<DocumentFilters>): void;
}

function Filters({ filters, onFilters }: FiltersProps) {
  const m = useStaffMessages();
  const watches = useWatches();
  const { data: facets } = useFacets(); // the words are searched without it
  return (
    <search className="finder">
      <label className="admin-search">
        {m.admin.search}
        <input
          type="search"
          value={filters.search}
          maxLength={200}
          onChange={(event) => onFilters({ search: event.target.value })}
        />
      </label>
      <div className="finder-choices">
        <Choice
          className="document-field"
          label={m.scope.department}
          value={filters.department}
          options={(facets?.departments ?? []).map((name) => [name, name] as const)}
          none={m.scope.all}
          onValue={(department) => onFilters({ department })}
        />
        <Choice
          className="document-field"
          label={m.scope.type}
          value={filters.document_type}
          options={(facets?.document_types ?? []).map((type) => [type, m.scope.types[type] ?? type] as const)}
          none={m.scope.all}
          onValue={(document_type) => onFilters({ document_type })}
        />
        <Choice
          className="document-field"
          label={m.find.validity}
          value={filters.validity}
          options={(watches ? REVIEWED : VALIDITIES).map((one) => [one, m.find.validities[one]] as const)}
          none={m.scope.all}
          onValue={(validity) => onFilters({ validity })}
        />
      </div>
      {filters.validity.startsWith("expires") && <p className="muted">{m.find.undatedApart}</p>}
    </search>
  );
}

/** Below what holds the words: procedures that are about them and are not called so. */
function Related({ documents }: { documents: readonly DocumentSummary[] }) {
  const m = useStaffMessages();
  return (
    <section aria-labelledby="related">
      <h3 id="related" className="sets-heading">
        {m.find.related}
      </h3>
      <p className="muted">{m.find.relatedHow}</p>
      <ul className="cards">
        {documents.map((one) => (
          <Row key={one.id} document={one} />
        ))}
      </ul>
    </section>
  );
}

function Row({ document }: { document: DocumentSummary }) {
  const m = useStaffMessages();
  const { id, title, language, version, department, document_type, owner, replaced_by } = document;
  const [validity, reviewed] = [validityOf(document, m), reviewedWords(document, m)];
  const roles = useRoles();
  const mayReview = rolesOf("reviews").some((role) => roles.includes(role));
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
        {reviewed && <span className={isReviewLate(document) ? "warn" : undefined}>{reviewed}</span>}
        {replaced_by && <span className="warn">{m.admin.replacedBy(replaced_by.title, replaced_by.version)}</span>}
      </span>
      {mayReview && <StillHolds document={document} />}
      <Favourite id={id} source={document.source} title={title} />
    </li>
  );
}
