// A CSV into a judged set: looked at first, then put in whole; a file with a bad row changes
// nothing, and every such row is named.
import { type ChangeEvent, useRef, useState } from "react";
import { type ApiError, asApiError } from "../../api/errors";
import type { Imported, Wrong } from "../../api/types";
import { refusalWords, useStaffMessages } from "../../i18n";
import { checkCsv, useImport } from "../../queries/staff/judged";
import { nameFrom, SET_NAME, textOf } from "../../state/staff/judged";

type State =
  | { kind: "idle"; said: string }
  | { kind: "checked"; csv: string; found: Imported }
  | { kind: "wrong"; error: ApiError };

const IDLE: State = { kind: "idle", said: "" };

/** `set`: null when the reader names one. */
export function Upload({ set }: { set: string | null }) {
  const m = useStaffMessages();
  const [name, setName] = useState(set ?? "");
  const [state, setState] = useState<State>(IDLE);
  const [file, setFile] = useState<File | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const importing = useImport();
  const named = SET_NAME.test(name);
  const fail = (error: unknown): void => setState({ kind: "wrong", error: asApiError(error) });
  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    const chosen = event.target.files?.[0] ?? null;
    setFile(chosen);
    setState(IDLE);
    if (chosen && set === null && name === "") setName(nameFrom(chosen.name));
  };
  const rename = (event: ChangeEvent<HTMLInputElement>): void => {
    setName(event.target.value);
    setState(IDLE);
  };
  const look = async (): Promise<void> => {
    if (!file) return;
    const csv = textOf(await file.arrayBuffer());
    setState({ kind: "checked", csv, found: await checkCsv(name, csv) });
  };
  const clear = (said = ""): void => {
    setState({ kind: "idle", said });
    setFile(null);
    if (input.current) input.current.value = "";
  };
  const put = (csv: string): void =>
    importing.mutate(
      { set: name, csv },
      { onSuccess: ({ questions }) => clear(m.sets.putIn(questions, name)), onError: fail },
    );
  return (
    <section className="upload" aria-label={m.sets.upload}>
      <div className="session-fields">
        <label>
          {m.sets.file}
          <input type="file" accept=".csv,text/csv" ref={input} onChange={choose} />
        </label>
        {set === null && (
          <label>
            {m.quality.set}
            <input value={name} aria-invalid={name !== "" && !named} onChange={rename} />
          </label>
        )}
        <button type="button" className="button" disabled={!file || !named} onClick={() => look().catch(fail)}>
          {m.sets.check}
        </button>
      </div>
      {name !== "" && !named && <p className="notice serious">{m.quality.badName}</p>}
      <div role="status">
        {state.kind === "idle" && state.said && <p className="muted">{state.said}</p>}
        {state.kind === "checked" && (
          <p className="judge-foot">
            <span>{m.sets.would(state.found.questions, state.found.new, name)}</span>
            <button type="button" className="button primary" onClick={() => put(state.csv)}>
              {m.sets.put}
            </button>
            <button type="button" className="button" onClick={() => clear()}>
              {m.sets.cancel}
            </button>
          </p>
        )}
      </div>
      {state.kind === "wrong" && <Refused error={state.error} />}
    </section>
  );
}

/** Why nothing was put in: row by row where rows are to blame. */
function Refused({ error }: { error: ApiError }) {
  const m = useStaffMessages();
  const words = (row: Wrong | undefined, otherwise: string): string =>
    m.sets.wrong[row?.code ?? ""]?.(row?.values ?? {}) ?? otherwise;
  const rows = error.rows.filter((row) => row.where !== "");
  return (
    <div className="notice serious" role="alert">
      <p>{rows.length > 0 ? m.sets.badRows(rows.length) : words(error.rows[0], refusalWords(error, m))}</p>
      {rows.length > 0 && (
        <ul className="bad-rows">
          {rows.map((row) => (
            <li key={row.where + row.what}>
              <strong>{m.sets.line(row.where.replace("line ", ""))}</strong> {words(row, row.what)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
