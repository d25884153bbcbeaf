// Keeps a procedure at hand, on the first page and in the finder, or no longer.
import { useMessages } from "../../../i18n";
import { usePerson } from "../../../queries/session";
import { keep, useKept } from "../../../state/kept";

interface Props {
  id: string; // of the document
  title: string;
  className?: string;
}

export function Favourite({ id, title, className = "link" }: Props) {
  const m = useMessages();
  const person = usePerson();
  const kept = useKept(person).favourites.includes(id);
  return (
    <button
      type="button"
      className={className}
      aria-pressed={kept}
      aria-label={`${m.atHand.favourite}: ${title}`}
      onClick={() => keep(person, id, !kept)}
    >
      {kept ? "★" : "☆"} {m.atHand.favourite}
    </button>
  );
}
