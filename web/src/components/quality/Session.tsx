// A test session: questions are asked as anywhere, and each answer is judged into a set. For quality staff.
import { useCallback, useEffect, useRef, useState } from "react";
import { csvUrl, getJudgedSets, type JudgedSets } from "../../api/quality";
import type { Mode } from "../../api/types";
import { useMessages } from "../../i18n";
import { SET_NAME } from "../../state/judged";
import type { Asker } from "../../state/judgement";
import { setAddress } from "../../state/route";
import { useConversation } from "../../state/useConversation";
import { useOpened } from "../../state/useOpened";
import { Announcer } from "../answer/Announcer";
import { Turn } from "../answer/Turn";
import { QuestionBox } from "../ask/QuestionBox";
import { Nowhere } from "../chat/Welcome";
import { SourcePane } from "../source/SourcePane";
import { JudgePanel } from "./JudgePanel";
import { Shell } from "./Shell";

export function Session() {
  const m = useMessages();
  const [error, setError] = useState<string | null>(null);
  const [sets, setSets] = useState<JudgedSets | null>(null);
  const [set, setSet] = useState("test session");
  const [asker, setAsker] = useState<Asker>({ function: "", department: "" });
  const input = useRef<HTMLTextAreaElement>(null);
  const { conversation, dispatch, send, stop, reset } = useConversation(setError);
  const { turns, opened } = conversation;
  const last = turns.at(-1);
  const source = useOpened(conversation, dispatch);
  const refresh = useCallback((): void => {
    getJudgedSets().then(setSets, (failure) => setError(failure.code ?? "internal"));
  }, []);
  useEffect(refresh, [refresh]);

  const ask = (question: string, mode: Mode | null = null, literal = false): void => void send(question, mode, literal);
  if (error === "not_found")
    return <Shell current="session" children={<Nowhere onHome={() => location.assign("/")} />} />;
  const named = SET_NAME.test(set);
  const one = sets?.sets.find((each) => each.name === set);
  return (
    <Shell current="session" withSource={source.shown !== null}>
      <main className="conversation" aria-label={m.app.conversation}>
        <div className="turns">
          <h2 className="quality-title">{m.quality.session}</h2>
          <p className="muted">{m.quality.sessionLead}</p>
          <div className="session-fields">
            <label>
              {m.quality.set}
              <input list="sets" value={set} aria-invalid={!named} onChange={(event) => setSet(event.target.value)} />
              <datalist id="sets">
                {sets?.sets.map(({ name }) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </label>
            <label>
              {m.quality.function}
              <input
                value={asker.function}
                onChange={(event) => setAsker({ ...asker, function: event.target.value })}
              />
            </label>
            <label>
              {m.quality.department}
              <input
                value={asker.department}
                onChange={(event) => setAsker({ ...asker, department: event.target.value })}
              />
            </label>
          </div>
          {!named && <p className="notice serious">{m.quality.badName}</p>}
          {one && (
            <p className="made">
              <span>{m.quality.counts(one.questions, one.validate, one.test, one.incomplete)}</span>
              <a className="link" href={setAddress(set)}>
                {m.quality.toSet}
              </a>
              <a className="link" href={csvUrl(set)} download>
                {m.quality.export}
              </a>
            </p>
          )}
          {error && <p className="notice serious">{m.errors[error] ?? m.errors.internal}</p>}
          {turns.map(({ key, state }) => (
            <div key={key}>
              <Turn
                state={state}
                opened={opened?.turn === key ? opened : null}
                latest={key === last?.key}
                feedback={false}
                onOpen={(rank, span) => source.openSource(key, rank, span)}
                onAgain={ask}
                onLiteral={(question) => ask(question, null, true)}
              />
              {state.kind === "complete" && named && (
                <JudgePanel answer={state.answer} set={set} asker={asker} onSaved={refresh} />
              )}
            </div>
          ))}
          {turns.length > 0 && (
            <button type="button" className="button" onClick={reset}>
              {m.quality.nextConversation}
            </button>
          )}
        </div>
        <QuestionBox busy={last?.state.kind === "working"} input={input} onAsk={ask} onStop={stop} />
      </main>
      {source.shown && <SourcePane {...source.shown} onMove={source.movePlace} onClose={source.close} />}
      <Announcer turn={last} />
    </Shell>
  );
}
