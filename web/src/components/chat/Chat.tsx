// The page: conversation on the left, the open source on the right. Joins state, address and keys;
// draws little itself.
import { useCallback, useEffect, useRef, useState } from "react";
import { asApiError } from "../../api/errors";
import type { Mode, PersonalChoice } from "../../api/types";
import { useMessages } from "../../i18n";
import { getAnswer } from "../../queries/answers";
import { usePerson } from "../../queries/session";
import { lackingIn, turnId } from "../../state/conversation/conversation";
import { useConversation } from "../../state/conversation/useConversation";
import { useOpened } from "../../state/conversation/useOpened";
import { firstScope } from "../../state/scope";
import { conversationPath, questionInAddress, useAddress } from "../../state/window/route";
import { useShortcuts } from "../../state/window/useShortcuts";
import { Announcer } from "../answer/Announcer";
import { Turns } from "../answer/Turns";
import { QuestionBox } from "../ask/QuestionBox";
import { ScopeMenu } from "../ask/ScopeMenu";
import { lazyPart } from "../shared/controls/lazyPart";
import { Optional } from "../shared/controls/Optional";
import { Problem } from "../shared/controls/Problem";
import { Header } from "../shared/frame/Header";
import { Nowhere } from "../shared/frame/Nowhere";
import { LazyPane } from "../source/LazyPane";
import { Empty } from "./Empty";
import { Welcome } from "./Welcome";

const later = () => import("./later");
const InView = lazyPart(async () => (await later()).InView);
const PrintedDay = lazyPart(async () => (await later()).PrintedDay);
const Help = lazyPart(async () => (await later()).Help);
const SinceShown = lazyPart(async () => (await later()).SinceShown);

export function Chat() {
  const m = useMessages();
  const [error, setError] = useState<string>();
  const [help, setHelp] = useState(false);
  const person = usePerson();
  const [scope, setScope] = useState(() => firstScope(person));
  useEffect(() => setScope(firstScope(person)), [person]);
  const [edited, setEdited] = useState<{ question: string; literal: boolean } | null>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const { conversation, dispatch, send, stop, load, reset } = useConversation(setError);
  const last = conversation.turns.at(-1);
  const busy = last?.state.kind === "working";
  const source = useOpened(conversation, dispatch);

  const goTo = useCallback(
    (id: string | null) => {
      setError(undefined);
      if (id === null) reset();
      else void load(id);
    },
    [load, reset],
  );
  const { route, go } = useAddress(conversation.id, goTo);
  const asked = useRef<{ mode: Mode | null; literal: boolean; whole: string }>({
    mode: null,
    literal: false,
    whole: "",
  });
  const ask = (question: string, mode: Mode | null = null, literal = false, whole = ""): void => {
    setError(undefined);
    asked.current = { mode, literal, whole };
    void send(question, mode, literal, scope, "stop", whole);
  };
  const askTyped = (question: string, mode: Mode | null): void => {
    ask(question, mode, edited?.literal); // what was understood, changed, is understood as it stands
    setEdited(null);
  };
  const askWith = (question: string, personal: PersonalChoice): void => {
    const { mode, literal, whole } = asked.current;
    void send(question, mode, literal, scope, personal, whole);
  };
  const askWhole = (question: string, document: string): void => ask(question, "answer", true, document);
  useEffect(() => {
    const sent = questionInAddress(location.search);
    if (!sent || route.kind !== "home") return;
    history.replaceState(history.state, "", "/"); // asked once, however often the page is loaded again
    void send(sent, null, false, scope);
  }, [route, send, scope]);
  useEffect(() => {
    if (route.kind !== "answer") return;
    getAnswer(route.id)
      .then(({ id, conversation_id }) => {
        const path = conversationPath(conversation_id);
        history.replaceState(history.state, "", `${path}#${turnId(id)}`);
        go(path);
      })
      .catch((error: unknown) => setError(asApiError(error).code));
  }, [route, go]);
  const startAnew = (): void => {
    goTo(null);
    go("/");
    input.current?.focus();
  };
  useShortcuts({
    "/": () => input.current?.focus(),
    "?": () => setHelp(true),
    Escape: () => (busy ? stop() : source.close()),
    j: () => source.moveSource(1),
    k: () => source.moveSource(-1),
    n: () => source.movePlace(1),
    p: () => source.movePlace(-1),
  });

  const empty = last === undefined;
  const times = useRef(false); // a timer runs on when the next conversation begins
  times.current ||= last?.state.kind === "complete";
  const nowhere = empty && route.kind === "unknown";
  return (
    <div className={`app ${source.shown ? "with-source" : ""}`}>
      <Header
        home
        asks
        times={times.current}
        covered={source.over}
        lacking={lackingIn(conversation)}
        tools={<HelpButton onHelp={() => setHelp(true)} />}
        onAnew={startAnew}
        onConversation={(id) => go(conversationPath(id))}
      />
      <main
        className={empty ? "conversation is-empty" : "conversation"}
        aria-label={m.app.conversation}
        inert={source.over}
      >
        {!empty && (
          <Optional fallback={null}>
            <PrintedDay conversation={conversation} />
          </Optional>
        )}
        <div className="turns">
          <Problem code={error} />
          {nowhere && <Nowhere onHome={startAnew} />}
          {empty && !nowhere && <Welcome />}
          <Turns
            {...{ conversation, source }}
            onAsk={ask}
            onEdit={(question, literal = false) => setEdited({ question, literal })}
            onPersonal={askWith}
            onWhole={askWhole}
          />
          {last && (
            <Optional fallback={<div />}>
              <InView turn={last.key} coming={busy} opened={source.shown?.wish} />
            </Optional>
          )}
        </div>
        <QuestionBox busy={busy} input={input} edited={edited} onAsk={askTyped} onStop={stop}>
          <ScopeMenu scope={scope} onScope={setScope} />
        </QuestionBox>
        {empty && !nowhere && <Empty onAsk={ask} />}
      </main>
      {source.shown && <LazyPane {...source.shown} onMove={source.movePlace} onClose={source.close} />}
      <Announcer turn={last} />
      {!empty && (
        <Optional fallback={null}>
          <SinceShown {...{ conversation, dispatch }} />
        </Optional>
      )}
      {help && (
        <Optional fallback={null}>
          <Help onClose={() => setHelp(false)} />
        </Optional>
      )}
    </div>
  );
}

function HelpButton({ onHelp }: { onHelp(): void }) {
  const m = useMessages();
  return (
    <button
      type="button"
      className="quiet icon of-keys"
      onClick={onHelp}
      aria-label={m.app.help}
      title={`${m.app.help} (?)`}
    >
      ?
    </button>
  );
}
