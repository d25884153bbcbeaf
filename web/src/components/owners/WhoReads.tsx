// Who will read what is sent about a document, said before it is: its owner, or quality staff where
// nobody is known.
import { useOwnerMessages } from "../../i18n";
import { useReached } from "../../queries/owners";

/** `named`: the owner that the document names; "" where it names none. */
export function WhoReads({ document, named }: { document: string; named: string }) {
  const m = useOwnerMessages();
  const { data } = useReached(document);
  const nobody = named ? m.askOwner.unknownOwner(named) : m.askOwner.noOwner;
  const known = data?.owner ? m.askOwner.goesTo(data.owner, data.by_mail) : nobody;
  return (
    <span className="muted" aria-live="polite">
      {data ? known : named && m.askOwner.owner(named)}
    </span>
  );
}
