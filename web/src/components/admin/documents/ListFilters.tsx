// What of the documents list is shown: by words, by what asks for attention, by department.
import { useStaffMessages } from "../../../i18n";
import { useFacets } from "../../../queries/documents/facets";
import type { Shown } from "../../../queries/staff/documents";
import { Choice } from "../../shared/controls/Choice";

export interface Wanted {
  search: string;
  shown: Shown;
  department: string;
}

const SHOWN = ["failed", "expired", "expires_soon", "uncertain", "withdrawn"] as const;

export function ListFilters({ wanted, onWanted }: { wanted: Wanted; onWanted(part: Partial<Wanted>): void }) {
  const m = useStaffMessages();
  const { data: facets } = useFacets(); // the words are searched without it
  return (
    <search>
      <label className="admin-search">
        {m.admin.search}
        <input
          type="search"
          value={wanted.search}
          maxLength={200}
          onChange={(event) => onWanted({ search: event.target.value })}
        />
      </label>
      <div className="finder-choices">
        <Choice
          className="document-field"
          label={m.admin.show}
          value={wanted.shown}
          options={SHOWN.map((one) => [one, m.admin.shown[one]] as const)}
          none={m.admin.shown.current}
          onValue={(shown) => onWanted({ shown })}
        />
        <Choice
          className="document-field"
          label={m.scope.department}
          value={wanted.department}
          options={(facets?.departments ?? []).map((name) => [name, name] as const)}
          none={m.scope.all}
          onValue={(department) => onWanted({ department })}
        />
      </div>
    </search>
  );
}
