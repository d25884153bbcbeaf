// Before the first question: what this is, three examples; or, without documents, what to run.
import { useMessages } from "../../i18n";
import { useFirstDocuments } from "../../queries/documents/list";
import { AtHand } from "./AtHand";

const MANY = 200; // enough to know the sample handbook by its names

export function Empty({ onAsk }: { onAsk(question: string): void }) {
  const m = useMessages();
  const { data: list } = useFirstDocuments(MANY); // the box works without; its own errors will be said
  const ready = list?.documents.filter((document) => document.status === "indexed") ?? [];
  if (list && ready.length === 0) return <NoDocuments />;

  const fitting = m.examples.filter(({ source }) => ready.some((document) => document.source.includes(source)));
  const own = ready.map((document) => ({ question: m.empty.exampleOf(document.title) }));
  const examples = (fitting.length === m.examples.length ? fitting : own).slice(0, 3);
  return (
    <section className="examples" aria-label={m.empty.examples}>
      {examples.length > 0 && <h2>{m.empty.examples}</h2>}
      <ul>
        {examples.map(({ question }) => (
          <li key={question}>
            <button type="button" className="example" onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
      <AtHand />
      <p className="muted of-keys">{m.empty.shortcut}</p>
    </section>
  );
}

function NoDocuments() {
  const m = useMessages();
  return (
    <section className="no-documents">
      <h2>{m.empty.noDocuments}</h2>
      <p>{m.empty.noDocumentsHelp}</p>
      <pre>bedside ingest {m.empty.folder}</pre>
    </section>
  );
}
