// What was read of a document that was just loaded, to be checked and corrected at once: what is
// missing or in doubt first. And whether it replaces one that is there already.
import { type FormEvent, useState } from "react";
import type { DocumentDetail } from "../../../api/types";
import { failureWords, useStaffMessages } from "../../../i18n";
import { useDescribe, useDocumentDetail, usePredecessors } from "../../../queries/staff/documents";
import { CHECKED, changesOf, doubtsOf, type Form, formOf, type Named } from "../../../state/staff/metadata";
import { changeFailure } from "../../../text/documents/changeFailure";
import { Suggested } from "../../shared/controls/Suggested";
import { OwnerReached } from "../owners/OwnerReached";

const PERCENT = { style: "percent" } as const;

interface Props {
  id: string;
  named: Named; // by documents that were there before
  alone: boolean; // it is the only one that was loaded
}

export function Check({ id, ...rest }: Props) {
  const { data: document } = useDocumentDetail(id);
  return document ? <Checked document={document} {...rest} /> : null;
}

function Checked({ document, named, alone }: Omit<Props, "id"> & { document: DocumentDetail }) {
  const m = useStaffMessages();
  const [doubts] = useState(() => doubtsOf(document, named)); // as it was read: a field stays where it is
  const [typed, setTyped] = useState<Partial<Form>>({});
  const { mutate, error, isPending, isSuccess, reset } = useDescribe(document.id);
  const [right, setRight] = useState(false);
  const form = { ...formOf(document), ...typed };
  const fields = [...CHECKED].sort((one, other) => Number(other in doubts) - Number(one in doubts));
  const changes = changesOf(document, form);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (changes) mutate(changes, { onSuccess: () => setTyped({}) });
    setRight(true);
  };
  const change = (part: Partial<Form>): void => {
    setTyped({ ...typed, ...part });
    setRight(false);
    reset();
  };
  const inDoubt = fields.filter((field) => field in doubts).map((field) => m.admin.fields[field]);
  return (
    // what is typed here is nothing to be told of
    <div className="check" aria-live="off">
      <Predecessors document={document} />
      <details open={alone || undefined}>
        <summary>{[m.check.title, inDoubt.join(", ")].filter(Boolean).join(": ")}</summary>
        <form onSubmit={save} aria-label={`${m.check.title}: ${document.title}`}>
          <div className="check-fields">
            {fields.map((field) => {
              const doubt = doubts[field];
              const label = doubt ? `${m.admin.fields[field]} (${m.check.doubts[doubt]})` : m.admin.fields[field];
              const set = (value: string): void => change({ [field]: value });
              return field === "owner" || field === "department" ? (
                <Suggested key={field} label={label} value={form[field]} onValue={set}>
                  {named[field].map((name) => (
                    <option key={name} value={name} />
                  ))}
                </Suggested>
              ) : (
                <label key={field} className="document-field">
                  {label}
                  <input
                    type={field === "valid_from" || field === "valid_until" ? "date" : "text"}
                    required={field === "title"}
                    maxLength={field === "version" ? 50 : 300}
                    value={form[field]}
                    onChange={(event) => set(event.target.value)}
                  />
                </label>
              );
            })}
          </div>
          <p className="check-foot">
            <button type="submit" className="button" disabled={isPending}>
              {changes ? m.check.save : m.check.right}
            </button>
            <span role="status">{right && !isPending && !error && (isSuccess ? m.admin.saved : m.check.checked)}</span>
          </p>
          {error && (
            <p className="notice serious" role="alert">
              {error.code === "conflict" ? m.admin.conflict : changeFailure(error.code, m)}
            </p>
          )}
          <OwnerReached name={document.owner} />
        </form>
      </details>
    </div>
  );
}

function Predecessors({ document }: { document: DocumentDetail }) {
  const m = useStaffMessages();
  const { data: found = [] } = usePredecessors(document);
  const { mutate, error, isPending, data } = useDescribe(document.id);
  if (data) return <p role="status">{m.check.replaced(data.supersedes)}</p>;
  return found.map(({ id, title, version, source, alike, code }) => (
    <div key={id} className="notice">
      <p>
        {m.check.predecessor(title, version, source)}
        {code ? m.check.sameCode(code.toUpperCase()) : m.check.alike(alike.toLocaleString(m.locale, PERCENT))}{" "}
        {m.check.isReplaced}
      </p>
      <button
        type="button"
        className="button"
        aria-label={found.length > 1 ? `${m.check.replace}: ${title}` : undefined}
        disabled={isPending}
        onClick={() => mutate({ supersedes: source, reset: [] })}
      >
        {m.check.replace}
      </button>
      {error && <p role="alert">{error.code === "conflict" ? m.admin.conflict : failureWords(error.code, m)}</p>}
    </div>
  ));
}
