// Below what holds the words: procedures that are about them and are not called so.
import { useStaffMessages } from "../../i18n";
import type { DocumentFilters } from "../../queries/documents/pages";
import { useRelated } from "../../queries/documents/related";
import { FoundDocument } from "./FoundDocument";

export function Related({ filters }: { filters: DocumentFilters }) {
  const m = useStaffMessages();
  const { data } = useRelated(filters);
  if (!data?.length) return null;
  return (
    <section aria-labelledby="related">
      <h3 id="related">{m.find.related}</h3>
      <p className="muted">{m.find.relatedHow}</p>
      <ul className="cards">
        {data.map((one) => (
          <FoundDocument key={one.id} document={one} />
        ))}
      </ul>
    </section>
  );
}
