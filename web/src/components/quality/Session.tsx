// A test session: questions are asked as anywhere, and each answer is judged into a set. For
// quality staff.
import { useRef, useState } from "react";
import type { JudgedSets, Mode } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { useJudgedSets } from "../../queries/staff/judged";
import { lackingIn } from "../../state/conversation/conversation";
import type { Asker } from "../../state/conversation/judgement";
import { useConversation } from "../../state/conversation/useConversation";
import { useOpened } from "../../state/conversation/useOpened";
import { setAddress } from "../../state/staff/addresses";
import { SET_NAME } from "../../state/staff/judged";
import { Announcer } from "../answer/Announcer";
import { Turns } from "../answer/Turns";
import { QuestionBox } from "../ask/QuestionBox";
import { LazyPane } from "../source/LazyPane";
import { Counts, countsOf } from "./Counts";
import { JudgePanel } from "./JudgePanel";
import { Shell } from "./Shell";

const ignore = (): void => undefined; // a session begins anew: no conversation is loaded that could be missing

export function Session() {
  const m = useStaffMessages();
  const { data: sets, error } = useJudgedSets();
  const [set, setSet] = useState("test session");
  const [asker, setAsker] = useState<Asker>({ function: "", department: "" });
  const input = useRef<HTMLTextAreaElement>(null);
  const { conversation, dispatch, send, stop, reset } = useConversation(ignore);
  const last = conversation.turns.at(-1);
  const source = useOpened(conversation, dispatch);
  const ask = (question: string, mode: Mode | null = null, literal = false): void => void send(question, mode, literal);
  const named = SET_NAME.test(set);
  const counted = countsOf(sets, set);
  return (
    <Shell
      current="session"
      label={m.app.conversation}
      error={error}
      lacking={lackingIn(conversation)}
      foot={<QuestionBox busy={last?.state.kind === "working"} input={input} onAsk={ask} onStop={stop} />}
      covered={source.over}
      source={source.shown && <LazyPane {...source.shown} onMove={source.movePlace} onClose={source.close} />}
    >
      <h2 className="quality-title">{m.pageNames.session}</h2>
      <p className="muted">{m.quality.sessionLead}</p>
      <Fields {...{ set, sets, named, asker }} onSet={setSet} onAsker={setAsker} />
      {!named && <p className="notice serious">{m.quality.badName}</p>}
      {counted && (
        <Counts set={counted} download={m.quality.export}>
          <a className="link" href={setAddress(set)}>
            {m.quality.toSet}
          </a>
        </Counts>
      )}
      <Turns
        {...{ conversation, source }}
        onAsk={ask}
        onPersonal={(question, personal) => void send(question, null, false, undefined, personal)}
        feedback={false}
        under={(answer) => named && <JudgePanel {...{ answer, set, asker }} />}
      />
      {last && (
        <button type="button" className="button" onClick={reset}>
          {m.quality.nextConversation}
        </button>
      )}
      <Announcer turn={last} />
    </Shell>
  );
}

interface FieldsProps {
  set: string;
  sets: JudgedSets | undefined; // to choose from
  named: boolean; // the set's name is one
  asker: Asker;
  onSet(set: string): void;
  onAsker(asker: Asker): void;
}

function Fields({ set, sets, named, asker, onSet, onAsker }: FieldsProps) {
  const m = useStaffMessages();
  return (
    <div className="session-fields">
      <label>
        {m.quality.set}
        <input list="sets" value={set} aria-invalid={!named} onChange={(event) => onSet(event.target.value)} />
        <datalist id="sets">
          {sets?.sets.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        {m.quality.function}
        <input value={asker.function} onChange={(event) => onAsker({ ...asker, function: event.target.value })} />
      </label>
      <label>
        {m.quality.department}
        <input value={asker.department} onChange={(event) => onAsker({ ...asker, department: event.target.value })} />
      </label>
    </div>
  );
}
