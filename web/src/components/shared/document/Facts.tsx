// What a reader must know to trust a source: version, validity, whose, for whom.
import type { Source } from "../../../api/types";
import { useMessages } from "../../../i18n";
import { factsOf, isExpired, validityOf } from "../../../text/documents/facts";

export function Facts({ source, owner = false }: { source: Source; owner?: boolean }) {
  const m = useMessages();
  const validity = validityOf(source, m);
  return (
    <p className="facts">
      {factsOf(source, m, { owner }).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {validity && <span className={isExpired(source) ? "warn" : undefined}>{validity}</span>}
    </p>
  );
}
