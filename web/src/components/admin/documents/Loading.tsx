// What is being loaded: this page's files with the step that each is at, and what somebody else, or
// the night's run, is loading.
import type { Ingestion } from "../../../api/types";
import { failureWords, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useIngestion, useStopIngestion } from "../../../queries/staff/ingestion";

interface Props {
  waiting: readonly string[]; // names, the first being loaded
  held: readonly string[]; // names, of which none is loaded yet
}

export function Loading({ waiting, held }: Props) {
  const m = useStaffMessages();
  const { data: at } = useIngestion(waiting.length > 0);
  const stop = useStopIngestion();
  const [first, ...others] = waiting;
  const later = [...new Set([...others, ...held])]; // a file may wait in two versions
  const own = first !== undefined && at?.own && at.source === first.normalize("NFC");
  return (
    <>
      {(first !== undefined || later.length > 0) && (
        <div role="status">
          <ul className="loading">
            {first !== undefined && <li>{`${first}: ${own ? stepOf(at, m) : m.admin.sending}`}</li>}
            {later.map((name) => (
              <li key={name} className="muted">{`${name}: ${m.admin.waits}`}</li>
            ))}
          </ul>
        </div>
      )}
      {at?.ingesting && !at.own && (
        <div className="notice loading-elsewhere">
          <p role="status">
            {at.step ? m.admin.elsewhere(at.done, at.total) : m.admin.begun}{" "}
            {at.source && m.admin.elsewhereAt(at.source, stepOf(at, m))}
          </p>
          {at.total > 0 && (
            <progress max={at.total} value={at.done} aria-label={m.admin.elsewhere(at.done, at.total)} />
          )}
          {stop.isSuccess ? (
            <p role="status">{m.admin.stopAsked}</p>
          ) : (
            <button type="button" className="button" disabled={stop.isPending} onClick={() => stop.mutate(undefined)}>
              {m.admin.stopLoading}
            </button>
          )}
          {stop.error && <p role="alert">{failureWords(stop.error.code, m)}</p>}
        </div>
      )}
    </>
  );
}

function stepOf({ step, page, of }: Ingestion, m: StaffMessages): string {
  if (step === "reading" && page > 0) return m.admin.readingPage(page, of);
  return step ? m.admin.steps[step] : m.admin.steps.comparing;
}
