// What the service says a reader must know before using a source: for other patients, expired,
// superseded, contradicted.
import type { Notice } from "../../../api/types";
import { useMessages } from "../../../i18n";
import { noticeWords } from "../../../text/documents/facts";

const GRAVE = new Set(["other_group", "conflict"]);

/** Each once: sources of one document share most of theirs. */
export function Cautions({ cautions }: { cautions: readonly Notice[] }) {
  const m = useMessages();
  const once = new Map(cautions.map((caution) => [caution.code + caution.text, caution]));
  if (once.size === 0) return null;
  return (
    <ul className="cautions" aria-label={m.card.cautions}>
      {Array.from(once, ([key, caution]) => {
        const { text, language } = noticeWords(caution, m);
        return (
          <li key={key} className={GRAVE.has(caution.code) ? "caution grave" : "caution"} lang={language || undefined}>
            {text}
          </li>
        );
      })}
    </ul>
  );
}
