// The same change to all the documents that are chosen: department, owner, last day of validity, or
// taken out. What fails stays chosen.
import { useState } from "react";
import { type ApiError, asApiError } from "../../../api/errors";
import type { DocumentSummary } from "../../../api/types";
import { type StaffMessages, useStaffMessages } from "../../../i18n";
import { useFacets } from "../../../queries/documents/facets";
import { type Bulked, type Done, useBulk } from "../../../queries/staff/documents";
import { changeFailure } from "../../../text/documents/changeFailure";
import { Problem } from "../../shared/controls/Problem";
import { Suggested } from "../../shared/controls/Suggested";
import { OwnerReached } from "../owners/OwnerReached";
import { Withdraw } from "../Withdraw";

interface Props {
  total: number; // that fit the filters, shown or not
  everything(): Promise<readonly DocumentSummary[]>; // those
  chosen: readonly DocumentSummary[];
  onChosen(chosen: readonly DocumentSummary[]): void;
  onChanged(left: readonly DocumentSummary[]): void;
  onWithdrawn(titles: readonly string[]): void;
}

export function Bulk({ total, everything, chosen, onChosen, onChanged, onWithdrawn }: Props) {
  const m = useStaffMessages();
  const { data: facets } = useFacets();
  const [department, setDepartment] = useState("");
  const [owner, setOwner] = useState("");
  const [until, setUntil] = useState("");
  const [at, setAt] = useState<number | null>(null); // of those that are being changed
  const [ended, setEnded] = useState<Done | null>(null);
  const [unkept, setUnkept] = useState<ApiError | null>(null); // a reason that is for its writer to decide on
  const [named, setNamed] = useState(""); // the owner that was set
  const changeEach = useBulk();
  const [choosing, setChoosing] = useState(false); // they are being listed
  const [failure, setFailure] = useState(""); // why not all could be chosen
  const chooseAll = (on: boolean): void => {
    setFailure("");
    setChoosing(on);
    const all = on ? everything() : Promise.resolve([]);
    void all.then(onChosen, (error) => setFailure(asApiError(error).code)).finally(() => setChoosing(false));
  };
  const change = async (what: Bulked): Promise<void> => {
    setEnded(null);
    setNamed("");
    setUnkept(null);
    const done = await changeEach(chosen, what, setAt)
      .catch((error) => setUnkept(error))
      .finally(() => setAt(null));
    if (!done) return;
    setEnded(done);
    if ("reset" in what && done.done > 0) setNamed(what.owner ?? "");
    const left = done.failed.map(({ document }) => document);
    onChanged(left);
    if ("withdraw" in what && done.done > 0)
      onWithdrawn(chosen.filter((one) => !left.includes(one)).map(({ title }) => title));
  };
  return (
    <div className="bulk">
      <label className="bulk-all">
        <input
          type="checkbox"
          checked={choosing || chosen.length >= total}
          onChange={(event) => chooseAll(event.target.checked)}
        />
        {m.admin.chooseAll(total)}
      </label>
      <Problem code={failure || undefined} />
      {chosen.length > 0 && (
        <fieldset className="bulk-changes" disabled={at !== null}>
          <legend>{m.admin.chosen(chosen.length)}</legend>
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
            <Suggested label={m.admin.fields.owner} value={owner} onValue={setOwner}>
              {facets?.owners.map((name) => (
                <option key={name} value={name} />
              ))}
            </Suggested>
            <button
              type="button"
              className="button"
              disabled={owner.trim() === ""}
              onClick={() => void change({ owner: owner.trim(), reset: [] })}
            >
              {m.admin.setOwner}
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
            {chosen.some(({ status }) => status === "failed") && (
              <button type="button" className="button" onClick={() => void change({ retry: true })}>
                {m.admin.retryMany(chosen.length)}
              </button>
            )}
            <Withdraw
              label={m.admin.retireMany(chosen.length)}
              question={m.admin.sureRetireMany(chosen.map(({ source }) => source))}
              yes={m.admin.yesRetireMany}
              error={unkept}
              onReason={() => setUnkept(null)}
              onYes={(why) => void change({ withdraw: why })}
            />
          </div>
        </fieldset>
      )}
      <div className="document-said" role="status">
        {at !== null && m.admin.changing(at + 1, chosen.length)}
        {ended && <Ended done={ended} />}
      </div>
      <OwnerReached name={named} />
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
  code === "conflict" ? m.admin.conflict : (m.admin.reasons[code] ?? changeFailure(code, m));
