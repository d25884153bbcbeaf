// One judged set: its questions, found by words or by half, each to be changed or deleted; new ones by hand or from a CSV.
import { useCallback, useEffect, useRef, useState } from "react";
import { csvUrl, getJudgedSet, type JudgedSet, type JudgedSets } from "../../api/quality";
import { useMessages } from "../../i18n";
import { type Listed, listOf, matching, SPLITS, type Which } from "../../state/judged";
import { QUALITY_PATHS } from "../../state/route";
import { QuestionForm } from "./QuestionForm";
import { Upload } from "./Upload";

const AT_ONCE = 100;

interface Props {
  name: string;
  sets: JudgedSets | null; // for the counts
  onChanged(): void;
}

export function JudgedSetView({ name, sets, onChanged }: Props) {
  const m = useMessages();
  const [set, setSet] = useState<JudgedSet | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [words, setWords] = useState("");
  const [which, setWhich] = useState<Which>("all");
  const [shown, setShown] = useState(AT_ONCE);
  const [adding, setAdding] = useState<string | null>(null); // the new question's id
  const [said, setSaid] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const load = useCallback((): void => {
    getJudgedSet(name).then(
      (found) => [setSet(found), setError(null)],
      (failure) => [setSet(null), setError(failure.code ?? "internal")],
    );
  }, [name]);
  useEffect(load, [load]);
  const changed = (): void => {
    load();
    onChanged();
  };
  const deleted = (question: string): void => {
    setSaid(m.sets.deleted(question));
    search.current?.focus(); // where the focus was is gone
    changed();
  };
  const counts = sets?.sets.find((one) => one.name === name);
  const listed = set ? listOf(set) : [];
  const found = matching(listed, words, which);
  return (
    <>
      <p className="crumb">
        <a href={QUALITY_PATHS.sets}>{m.quality.sets}</a>
      </p>
      <h2 className="quality-title">{name}</h2>
      {error && error !== "not_found" && (
        <p className="notice serious" role="alert">
          {m.errors[error] ?? m.errors.internal}
        </p>
      )}
      {error === "not_found" && <p className="empty-list">{m.sets.gone}</p>}
      {counts && (
        <p className="made">
          <span>{m.quality.counts(counts.questions, counts.validate, counts.test, counts.incomplete)}</span>
          <a className="link" href={csvUrl(name)} download>
            {m.sets.download}
          </a>
        </p>
      )}
      {set && (
        <>
          <div className="session-fields">
            <label className="sets-search">
              {m.sets.search}
              <input type="search" value={words} ref={search} onChange={(event) => setWords(event.target.value)} />
            </label>
            <label>
              {m.sets.which}
              <select value={which} onChange={(event) => setWhich(event.target.value as Which)}>
                {(["all", ...SPLITS, "open", "none"] as const).map((one) => (
                  <option key={one} value={one}>
                    {m.sets.kinds[one]}
                  </option>
                ))}
              </select>
            </label>
            <button type="button" className="button" onClick={() => setAdding(crypto.randomUUID())}>
              {m.sets.add}
            </button>
          </div>
          <p className="made" role="status">
            {said} {m.sets.shown(found.length, listed.length)}
          </p>
        </>
      )}
      {adding && (
        <section className="card new-question" aria-label={m.sets.add}>
          <QuestionForm
            key={adding}
            set={name}
            id={adding}
            listed={null}
            onSaved={changed}
            onClose={() => setAdding(null)}
          />
        </section>
      )}
      <ul className="cards">
        {found.slice(0, shown).map((one) => (
          <Row key={one.judged.id} set={name} listed={one} onSaved={changed} onDeleted={deleted} />
        ))}
      </ul>
      {set && listed.length > 0 && found.length === 0 && <p className="empty-list">{m.sets.noMatch}</p>}
      {found.length > shown && (
        <button type="button" className="link" onClick={() => setShown(found.length)}>
          {m.sets.more(found.length - shown)}
        </button>
      )}
      <h3 className="sets-heading">{m.sets.upload}</h3>
      <p className="muted">{m.sets.columns}</p>
      <Upload set={name} onDone={changed} />
    </>
  );
}

interface RowProps {
  set: string;
  listed: Listed;
  onSaved(): void;
  onDeleted(question: string): void;
}

function Row({ set, listed, onSaved, onDeleted }: RowProps) {
  const m = useMessages();
  const [open, setOpen] = useState(false);
  const { judged } = listed;
  const where = judged.places.map((place) =>
    place.page ? `${place.document}, ${m.card.page(place.page)}` : place.document,
  );
  const group = judged.group as keyof typeof m.card.groups;
  const facts = [
    m.sets.kinds[judged.split],
    judged.function,
    judged.department,
    m.card.groups[group] ?? judged.group,
    judged.note,
  ].filter(Boolean);
  return (
    <li className="card judged">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="document-title">{judged.question}</span>
          <span className="facts">
            {facts.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </span>
          {listed.open ? (
            <span className="caution">{m.sets.isOpen}</span>
          ) : (
            <span className="muted">{where.length > 0 ? where.join("; ") : m.quality.none}</span>
          )}
        </summary>
        {open && <QuestionForm set={set} id={judged.id} listed={listed} onSaved={onSaved} onDeleted={onDeleted} />}
      </details>
    </li>
  );
}
