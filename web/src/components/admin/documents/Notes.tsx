// What to know of a document, in the reader's language; of one that could not be read: what to do.
import type { DocumentSummary } from "../../../api/types";
import { useLanguage, useStaffMessages } from "../../../i18n";
import { noteWords } from "../../../text/documents/notes";

type Props = Pick<DocumentSummary, "source" | "reason" | "notes" | "advice"> & { failed: boolean };

export function Notes({ source, reason, notes, advice, failed }: Props) {
  const m = useStaffMessages();
  const { language } = useLanguage();
  const known = m.admin.advice[reason];
  // the reason says it
  const shown = notes.map((note) => noteWords(note, language)).filter(({ english }) => !(english && failed && known));
  return (
    <>
      {shown.map(({ text, english }) => (
        <span key={text} lang={english ? "en" : undefined} className={failed ? "document-why" : "caution"}>
          {text.replace(`${source}: `, "")}
        </span>
      ))}
      {advice && (
        <span className="document-advice" lang={known ? undefined : "en"}>
          {known ?? advice}
        </span>
      )}
    </>
  );
}
