// The judged sets: which there are, out and in as CSV; with ?set= one of them, question by
// question. For quality staff.
import type { JudgedSets } from "../../api/types";
import { formatMoment, useStaffMessages } from "../../i18n";
import { csvUrl, useDeleteSet, useJudgedSets } from "../../queries/staff/judged";
import { setAddress, setInAddress } from "../../state/staff/addresses";
import { pathOf } from "../../state/window/route";
import { Confirm } from "../shared/controls/Confirm";
import { Problem } from "../shared/controls/Problem";
import { type Counted, CountWords, countsOf } from "./Counts";
import { JudgedSetView } from "./JudgedSet";
import { Shell } from "./Shell";
import { Upload } from "./Upload";

export function Sets() {
  const { data: sets, error } = useJudgedSets();
  const chosen = setInAddress(location.search);
  return (
    <Shell current="sets" error={error}>
      {chosen !== null ? (
        <JudgedSetView name={chosen} counted={countsOf(sets, chosen)} />
      ) : (
        sets && <List sets={sets.sets} />
      )}
    </Shell>
  );
}

function List({ sets }: JudgedSets) {
  const m = useStaffMessages();
  const { mutate: drop, error } = useDeleteSet();
  return (
    <>
      <Problem code={error?.code} />
      <h2 className="quality-title">{m.pageNames.sets}</h2>
      <p className="muted">{m.sets.lead}</p>
      {sets.length === 0 && (
        <p className="empty-list">
          {m.sets.none} <a href={pathOf("session")}>{m.pageNames.session}</a>
        </p>
      )}
      <ul className="cards">
        {sets.map((set) => (
          <Card key={set.name} set={set} onDelete={() => drop(set.name)} />
        ))}
      </ul>
      <h3 className="sets-heading">{m.sets.upload}</h3>
      <p className="muted">{m.sets.columns}</p>
      <Upload set={null} />
    </>
  );
}

function Card({ set, onDelete }: { set: Counted; onDelete(): void }) {
  const m = useStaffMessages();
  return (
    <li className="card judged-set">
      <h3>
        <a href={setAddress(set.name)}>{set.name}</a>
      </h3>
      <p className="facts">
        <CountWords set={set} />
        <span>{m.sets.changed(formatMoment(set.updated_at, m))}</span>
      </p>
      <p className="made">
        <a className="link" href={csvUrl(set.name)} download>
          {m.sets.download}
        </a>
        <Confirm
          label={m.sets.deleteSet}
          question={m.sets.sureSet(set.name, set.questions + set.incomplete)}
          onYes={onDelete}
        />
      </p>
    </li>
  );
}
