// The procedure finder: all that this reader may read, by words of the title, department, type and
// validity.
import { useState } from "react";
import type { Validity } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { useFacets } from "../../queries/documents/facets";
import { type DocumentFilters, useProcedures } from "../../queries/documents/pages";
import { useRoles } from "../../queries/session";
import { useDelayed } from "../../queries/useDelayed";
import { Choice } from "../shared/controls/Choice";
import { Problem } from "../shared/controls/Problem";
import { Staff } from "../shared/frame/Staff";
import { FoundDocument } from "./FoundDocument";
import { Related } from "./Related";

const VALIDITIES = ["valid", "expired", "upcoming"] as const satisfies readonly Validity[];
const REVIEWED = [...VALIDITIES, "expires_soon", "expires_later", "undated"] as const; // for who watches over them
const ALL: DocumentFilters = { search: "", department: "", document_type: "", validity: "" };

export function Procedures() {
  const m = useStaffMessages();
  const [filters, setFilters] = useState(ALL);
  const wanted = { ...filters, search: useDelayed(filters.search.trim()) };
  const list = useProcedures(wanted);
  const documents = list.data?.pages.flatMap((page) => page.documents) ?? [];
  const total = list.data?.pages.at(-1)?.total;
  return (
    <Staff page="procedures" lead={m.find.lead}>
      <Filters filters={filters} onFilters={setFilters} />
      <Problem code={list.error?.code} />
      <p className="made" role="status">
        {total !== undefined && m.find.count(documents.length, total)}
      </p>
      <ul className="cards">
        {documents.map((one) => (
          <FoundDocument key={one.id} document={one} />
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" className="link" onClick={() => void list.fetchNextPage()}>
          {m.admin.more}
        </button>
      )}
      <Related filters={wanted} />
    </Staff>
  );
}

interface FiltersProps {
  filters: DocumentFilters;
  onFilters(filters: DocumentFilters): void;
}

function Filters({ filters, onFilters }: FiltersProps) {
  const m = useStaffMessages();
  const watches = useRoles().some((role) => role !== "reader");
  const { data: facets } = useFacets(); // the words are searched without it
  const change = (part: Partial<DocumentFilters>): void => onFilters({ ...filters, ...part });
  return (
    <search className="finder">
      <label className="admin-search">
        {m.admin.search}
        <input
          type="search"
          value={filters.search}
          maxLength={200}
          onChange={(event) => change({ search: event.target.value })}
        />
      </label>
      <div className="finder-choices">
        <Choice
          className="document-field"
          label={m.scope.department}
          value={filters.department}
          options={(facets?.departments ?? []).map((name) => [name, name] as const)}
          none={m.scope.all}
          onValue={(department) => change({ department })}
        />
        <Choice
          className="document-field"
          label={m.scope.type}
          value={filters.document_type}
          options={(facets?.document_types ?? []).map((type) => [type, m.scope.types[type] ?? type] as const)}
          none={m.scope.all}
          onValue={(document_type) => change({ document_type })}
        />
        <Choice
          className="document-field"
          label={m.find.validity}
          value={filters.validity}
          options={(watches ? REVIEWED : VALIDITIES).map((one) => [one, m.find.validities[one]] as const)}
          none={m.scope.all}
          onValue={(validity) => change({ validity })}
        />
      </div>
    </search>
  );
}
