// The same change to all the documents that are chosen: department, last day of validity, or taken
// out. What fails stays chosen.
import { useState } from "react";
import type { DocumentSummary, MetadataIn } from "../../../api/types";
import { failureWords, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useFacets } from "../../../queries/documents/facets";
import { type Done, useBulk } from "../../../queries/staff/documents";
import { Confirm } from "../../shared/controls/Confirm";
import { Suggested } from "../../shared/controls/Suggested";

interface Props {
  documents: readonly DocumentSummary[]; // those that are listed
  chosen: readonly string[];
  onChosen(ids: readonly string[]): void;
  onChanged(left: readonly string[]): void;
}

export function Bulk({ documents, chosen, onChosen, onChanged }: Props) {
  const m = useStaffMessages();
  const { data: facets } = useFacets();
  const [department, setDepartment] = useState("");
  const [until, setUntil] = useState("");
  const [at, setAt] = useState<number | null>(null); // of those that are being changed
  const [ended, setEnded] = useState<Done | null>(null);
  const changeEach = useBulk();
  const wanted = documents.filter(({ id }) => chosen.includes(id));
  const change = async (what: MetadataIn | "withdraw"): Promise<void> => {
    setEnded(null);
    const done = await changeEach(wanted, what, setAt);
    setAt(null);
    setEnded(done);
    onChanged(done.failed.map(({ document }) => document.id));
  };
  return (
    <div className="bulk">
      <label className="bulk-all">
        <input
          type="checkbox"
          checked={wanted.length === documents.length}
          onChange={(event) => onChosen(event.target.checked ? documents.map(({ id }) => id) : [])}
        />
        {m.admin.chooseAll(documents.length)}
      </label>
      {wanted.length > 0 && (
        <fieldset className="bulk-changes" disabled={at !== null}>
          <legend>{m.admin.chosen(wanted.length)}</legend>
          <div className="document-field">
            <Suggested label={m.admin.fields.department} value={department} onValue={setDepartment}>
              {facets?.departments.map((name) => (
                <option key={name} value={name} />
              ))}
            </Suggested>
            <button
              type="button"
              className="button"
              disabled={department.trim() === ""}
              onClick={() => void change({ department: department.trim(), reset: [] })}
            >
              {m.admin.setDepartment}
            </button>
          </div>
          <div className="document-field">
            <label>
              {m.admin.fields.valid_until}
              <input type="date" value={until} onChange={(event) => setUntil(event.target.value)} />
            </label>
            <button
              type="button"
              className="button"
              disabled={until === ""}
              onClick={() => void change({ valid_until: until, reset: [] })}
            >
              {m.admin.setUntil}
            </button>
          </div>
          <div className="bulk-withdraw">
            <Confirm
              label={m.admin.retireMany(wanted.length)}
              question={m.admin.sureRetireMany(wanted.length)}
              yes={m.admin.yesRetireMany}
              onYes={() => void change("withdraw")}
            />
          </div>
        </fieldset>
      )}
      <div className="document-said" role="status">
        {at !== null && m.admin.changing(at + 1, wanted.length)}
        {ended && <Ended done={ended} />}
      </div>
    </div>
  );
}

function Ended({ done: { done, failed } }: { done: Done }) {
  const m = useStaffMessages();
  return (
    <>
      {m.admin.changed(done, failed.length)}
      {failed.length > 0 && (
        <ul>
          {failed.map(({ document, code }) => (
            <li key={document.id} className="wrong">
              {document.title}: {whyNot(code, m)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const whyNot = (code: string, m: StaffMessages): string =>
  code === "conflict" ? m.admin.conflict : failureWords(code, m);
