// One judged set: its questions, found by words or by half, each to be changed or deleted; new ones
// by hand or from a CSV.
import { useRef, useState } from "react";
import { useStaffMessages } from "../../i18n";
import { useJudgedSet } from "../../queries/staff/judged";
import { GROUPS } from "../../state/scope";
import { type Listed, listOf, matching, WHICH, type Which } from "../../state/staff/judged";
import { pathOf } from "../../state/window/route";
import { known } from "../../text/known";
import { Choice } from "../shared/controls/Choice";
import { Problem } from "../shared/controls/Problem";
import { type Counted, Counts } from "./Counts";
import { QuestionForm } from "./questions/QuestionForm";
import { Upload } from "./Upload";

const AT_ONCE = 100;

interface Props {
  name: string;
  counted: Counted | undefined;
}

export function JudgedSetView({ name, counted }: Props) {
  const m = useStaffMessages();
  const { data, error } = useJudgedSet(name);
  const set = error ? undefined : data; // an older answer would show what may be gone
  const gone = error?.code === "not_found";
  return (
    <>
      <p className="crumb">
        <a href={pathOf("sets")}>{m.pageNames.sets}</a>
      </p>
      <h2 className="quality-title">{name}</h2>
      {gone ? <p className="empty-list">{m.sets.gone}</p> : <Problem code={error?.code} />}
      {counted && <Counts set={counted} download={m.sets.download} />}
      <Questions set={name} listed={set && listOf(set)} />
      <h3 className="sets-heading">{m.sets.upload}</h3>
      <p className="muted">{m.sets.columns}</p>
      <Upload set={name} />
    </>
  );
}

/** `listed`: undefined until they are known. */
function Questions({ set, listed }: { set: string; listed: Listed[] | undefined }) {
  const m = useStaffMessages();
  const [words, setWords] = useState("");
  const [which, setWhich] = useState<Which>("all");
  const [shown, setShown] = useState(AT_ONCE);
  const [adding, setAdding] = useState<string | null>(null); // the new question's id
  const [said, setSaid] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const deleted = (question: string): void => {
    setSaid(m.sets.deleted(question));
    search.current?.focus(); // where the focus was is gone
  };
  const found = matching(listed ?? [], words, which);
  return (
    <>
      {listed && (
        <>
          <div className="session-fields">
            <label className="sets-search">
              {m.sets.search}
              <input type="search" value={words} ref={search} onChange={(event) => setWords(event.target.value)} />
            </label>
            <Choice
              className="document-field"
              label={m.sets.which}
              value={which}
              options={WHICH.map((one) => [one, m.sets.kinds[one]] as const)}
              onValue={(chosen) => setWhich(chosen || "all")}
            />
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
          <QuestionForm key={adding} set={set} id={adding} listed={null} onClose={() => setAdding(null)} />
        </section>
      )}
      <ul className="cards">
        {found.slice(0, shown).map((one) => (
          <Row key={one.judged.id} set={set} listed={one} onDeleted={deleted} />
        ))}
      </ul>
      {listed && listed.length > 0 && found.length === 0 && <p className="empty-list">{m.sets.noMatch}</p>}
      {found.length > shown && (
        <button type="button" className="link" onClick={() => setShown(found.length)}>
          {m.sets.more(found.length - shown)}
        </button>
      )}
    </>
  );
}

interface RowProps {
  set: string;
  listed: Listed;
  onDeleted(question: string): void;
}

function Row({ set, listed, onDeleted }: RowProps) {
  const [open, setOpen] = useState(false);
  return (
    <li className="card judged">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <Summary listed={listed} />
        {open && <QuestionForm set={set} id={listed.judged.id} listed={listed} onDeleted={onDeleted} />}
      </details>
    </li>
  );
}

function Summary({ listed: { judged, open } }: { listed: Listed }) {
  const m = useStaffMessages();
  const where = judged.places.map((place) =>
    place.page ? `${place.document}, ${m.card.page(place.page)}` : place.document,
  );
  const group = known(GROUPS, judged.group);
  const facts = [
    m.sets.kinds[judged.split],
    judged.function,
    judged.department,
    group ? m.card.groups[group] : judged.group,
    judged.note,
  ].filter(Boolean);
  return (
    <summary>
      <span className="document-title">{judged.question}</span>
      <span className="facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
      {open ? (
        <span className="caution">{m.sets.isOpen}</span>
      ) : (
        <span className="muted">{where.length > 0 ? where.join("; ") : m.quality.none}</span>
      )}
    </summary>
  );
}
