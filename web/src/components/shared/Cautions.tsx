// What the service says a reader must know before using a source: for other patients, expired, superseded, contradicted.
import type { Source } from "../../api/types";
import { useMessages } from "../../i18n";

const GRAVE = new Set(["other_group", "conflict"]);

export function Cautions({ source }: { source: Source }) {
  const m = useMessages();
  if (source.cautions.length === 0) return null;
  return (
    <ul className="cautions" aria-label={m.card.cautions}>
      {source.cautions.map(({ code, text }) => (
        <li key={code + text} className={GRAVE.has(code) ? "caution grave" : "caution"}>
          {text}
        </li>
      ))}
    </ul>
  );
}
