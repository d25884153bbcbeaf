// The judged sets: which there are, out and in as CSV; with ?set= one of them, question by question. For quality staff.
import { useCallback, useEffect, useState } from "react";
import { csvUrl, deleteSet, getJudgedSets, type JudgedSets } from "../../api/quality";
import { formatMoment, useMessages } from "../../i18n";
import { QUALITY_PATHS, setAddress, setInAddress } from "../../state/route";
import { Nowhere } from "../chat/Welcome";
import { Confirm } from "../shared/Confirm";
import { JudgedSetView } from "./JudgedSet";
import { Shell } from "./Shell";
import { Upload } from "./Upload";

export function Sets() {
  const m = useMessages();
  const [sets, setSets] = useState<JudgedSets | null>(null);
  const [error, setError] = useState<string | null>(null);
  const chosen = setInAddress(location.search);
  const refresh = useCallback((): void => {
    getJudgedSets().then(setSets, (failure) => setError(failure.code ?? "internal"));
  }, []);
  useEffect(refresh, [refresh]);
  if (error === "not_found") return <Shell current="sets" children={<Nowhere onHome={() => location.assign("/")} />} />;
  return (
    <Shell current="sets">
      <main className="conversation" aria-label={m.quality.sets}>
        <div className="turns">
          {error && (
            <p className="notice serious" role="alert">
              {m.errors[error] ?? m.errors.internal}
            </p>
          )}
          {chosen !== null ? (
            <JudgedSetView name={chosen} sets={sets} onChanged={refresh} />
          ) : (
            sets && <List sets={sets} onChanged={refresh} onError={setError} />
          )}
        </div>
      </main>
    </Shell>
  );
}

function List({ sets, onChanged, onError }: { sets: JudgedSets; onChanged(): void; onError(code: string): void }) {
  const m = useMessages();
  const drop = (name: string): void => {
    deleteSet(name).then(onChanged, (failure) => onError(failure.code ?? "internal"));
  };
  return (
    <>
      <h2 className="quality-title">{m.quality.sets}</h2>
      <p className="muted">{m.sets.lead}</p>
      {sets.sets.length === 0 && (
        <p className="empty-list">
          {m.sets.none} <a href={QUALITY_PATHS.session}>{m.quality.session}</a>
        </p>
      )}
      <ul className="cards">
        {sets.sets.map((one) => (
          <li key={one.name} className="card judged-set">
            <h3>
              <a href={setAddress(one.name)}>{one.name}</a>
            </h3>
            <p className="facts">
              <span>{m.quality.counts(one.questions, one.validate, one.test, one.incomplete)}</span>
              <span>{m.sets.changed(formatMoment(one.updated_at, m))}</span>
            </p>
            <p className="made">
              <a className="link" href={csvUrl(one.name)} download>
                {m.sets.download}
              </a>
              <Confirm
                label={m.sets.deleteSet}
                question={m.sets.sureSet(one.name, one.questions + one.incomplete)}
                yes={m.sets.yes}
                no={m.sets.no}
                onYes={() => drop(one.name)}
              />
            </p>
          </li>
        ))}
      </ul>
      <h3 className="sets-heading">{m.sets.upload}</h3>
      <p className="muted">{m.sets.columns}</p>
      <Upload set={null} onDone={onChanged} />
    </>
  );
}
