// What of the documents list is shown: by words, by what asks for attention, by department.
import { useStaffMessages } from "../../../i18n";
import { useFacets } from "../../../queries/documents/facets";
import { LAPSING } from "../../../queries/documents/pages";
import { type Listed, orderOf } from "../../../queries/staff/documents";
import { Choice } from "../../shared/controls/Choice";

const SHOWN = ["failed", "expired", ...LAPSING, "replaced", "earlier", "uncertain", "withdrawn"] as const;
const ORDERS = ["title", "valid_until", "next_review"] as const;

const ANYBODY = "*"; // no owner's name; "" is nobody

export function ListFilters({ wanted, onWanted }: { wanted: Listed; onWanted(part: Partial<Listed>): void }) {
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
        <Choice
          className="document-field"
          label={m.admin.fields.owner}
          value={wanted.owner ?? ANYBODY}
          options={[
            [ANYBODY, m.scope.all] as const,
            ["", m.quality.noOwner] as const,
            ...(facets?.owners ?? []).map((name) => [name, name] as const),
          ]}
          onValue={(owner) => onWanted({ owner: owner === ANYBODY ? null : owner })}
        />
        <Choice
          className="document-field"
          label={m.admin.order}
          value={orderOf(wanted)}
          options={ORDERS.map((one) => [one, m.admin.orders[one]] as const)}
          onValue={(order) => onWanted({ order })}
        />
      </div>
      {wanted.shown.startsWith("expires") && <p className="muted">{m.find.undatedApart}</p>}
    </search>
  );
}
