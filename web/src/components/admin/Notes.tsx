// What to know of a document; of one that could not be read: why, and what to do. The service's own sentences are English.
import type { DocumentSummary } from "../../api/types";
import { useMessages } from "../../i18n";

type Props = Pick<DocumentSummary, "source" | "reason" | "warnings" | "advice"> & { failed: boolean };

export function Notes({ source, reason, warnings, advice, failed }: Props) {
  const m = useMessages();
  const known = m.admin.advice[reason];
  return (
    <>
      {warnings.map((warning) => (
        <span key={warning} lang="en" className={failed ? "document-why" : "caution"}>
          {warning.replace(`${source}: `, "")}
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
