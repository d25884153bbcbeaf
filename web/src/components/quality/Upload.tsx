// A CSV into a judged set: looked at first, then put in whole; a file with a bad row changes nothing, and every such row is named.
import { useRef, useState } from "react";
import { ApiError, type Wrong } from "../../api/client";
import { type Imported, importCsv } from "../../api/quality";
import { useMessages } from "../../i18n";
import { nameFrom, SET_NAME, textOf } from "../../state/judged";

interface Props {
  set: string | null; // null: the reader names one
  onDone(set: string): void;
}

type State =
  | { kind: "idle"; said: string }
  | { kind: "checked"; csv: string; found: Imported }
  | { kind: "wrong"; message: string; rows: readonly Wrong[] };

export function Upload({ set, onDone }: Props) {
  const m = useMessages();
  const [name, setName] = useState(set ?? "");
  const [state, setState] = useState<State>({ kind: "idle", said: "" });
  const [file, setFile] = useState<File | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const named = SET_NAME.test(name);
  const fail = (error: unknown): void => {
    const { message, rows } = error instanceof ApiError ? error : new ApiError("internal", m.errors.internal ?? "");
    setState({ kind: "wrong", message, rows });
  };
  const rows = state.kind === "wrong" ? state.rows.filter((row) => row.where !== "") : [];
  const wrong = (row: Wrong | undefined, otherwise: string): string =>
    m.sets.wrong[row?.code ?? ""]?.(row?.values ?? {}) ?? otherwise;
  const look = async (): Promise<void> => {
    if (!file) return;
    try {
      const csv = textOf(await file.arrayBuffer());
      setState({ kind: "checked", csv, found: await importCsv(name, csv, true) });
    } catch (error) {
      fail(error);
    }
  };
  const clear = (said = ""): void => {
    setState({ kind: "idle", said });
    setFile(null);
    if (input.current) input.current.value = "";
  };
  const put = async (csv: string): Promise<void> => {
    try {
      const { questions } = await importCsv(name, csv, false);
      clear(m.sets.putIn(questions, name));
      onDone(name);
    } catch (error) {
      fail(error);
    }
  };
  return (
    <section className="upload" aria-label={m.sets.upload}>
      <div className="session-fields">
        <label>
          {m.sets.file}
          <input
            type="file"
            accept=".csv,text/csv"
            ref={input}
            onChange={(event) => {
              const chosen = event.target.files?.[0] ?? null;
              setFile(chosen);
              setState({ kind: "idle", said: "" });
              if (chosen && set === null && name === "") setName(nameFrom(chosen.name));
            }}
          />
        </label>
        {set === null && (
          <label>
            {m.quality.set}
            <input
              value={name}
              aria-invalid={name !== "" && !named}
              onChange={(event) => {
                setName(event.target.value);
                setState({ kind: "idle", said: "" });
              }}
            />
          </label>
        )}
        <button type="button" className="button" disabled={!file || !named} onClick={() => void look()}>
          {m.sets.check}
        </button>
      </div>
      {name !== "" && !named && <p className="notice serious">{m.quality.badName}</p>}
      <div role="status">
        {state.kind === "idle" && state.said && <p className="muted">{state.said}</p>}
        {state.kind === "checked" && (
          <p className="judge-foot">
            <span>{m.sets.would(state.found.questions, state.found.new, name)}</span>
            <button type="button" className="button primary" onClick={() => void put(state.csv)}>
              {m.sets.put}
            </button>
            <button type="button" className="button" onClick={() => clear()}>
              {m.sets.cancel}
            </button>
          </p>
        )}
      </div>
      {state.kind === "wrong" && (
        <div className="notice serious" role="alert">
          <p>{rows.length > 0 ? m.sets.badRows(rows.length) : wrong(state.rows[0], state.message)}</p>
          {rows.length > 0 && (
            <ul className="bad-rows">
              {rows.map((row) => (
                <li key={row.where + row.what}>
                  <strong>{m.sets.line(row.where.replace("line ", ""))}</strong> {wrong(row, row.what)}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}
