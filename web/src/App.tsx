// The page: conversation on the left, the open source on the right. Joins state, address and keys; draws little itself.
import { useCallback, useEffect, useRef, useState } from "react";
import type { Mode } from "./api/types";
import { Documents } from "./components/admin/Documents";
import { Announcer } from "./components/answer/Announcer";
import { Turn } from "./components/answer/Turn";
import { QuestionBox } from "./components/ask/QuestionBox";
import { ScopeMenu } from "./components/ask/ScopeMenu";
import { Empty } from "./components/chat/Empty";
import { Help } from "./components/chat/Help";
import { Nowhere, Welcome } from "./components/chat/Welcome";
import { Gaps } from "./components/quality/Gaps";
import { Session } from "./components/quality/Session";
import { Sets } from "./components/quality/Sets";
import { Banner } from "./components/shared/Banner";
import { Header } from "./components/shared/Header";
import { SourcePane } from "./components/source/SourcePane";
import { CATALOGUES, firstLanguage, keepLanguage, type Language, MessagesProvider, useMessages } from "./i18n";
import { pdfjs } from "./pdf/load";
import { type AnswerState, view } from "./state/answer";
import { conversationPath, DOCUMENTS_PATH, qualityPage, useAddress } from "./state/route";
import { firstScope } from "./state/scope";
import { useConversation } from "./state/useConversation";
import { useOpened } from "./state/useOpened";
import { useShortcuts } from "./state/useShortcuts";

/** pdf.js is large: it comes while the first question is typed, not after it is answered. */
const whenIdle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500));
whenIdle(() => void pdfjs().catch(() => undefined));

export function App() {
  const [language, setLanguage] = useState(firstLanguage);
  const [quality] = useState(() => qualityPage(location.pathname));
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const toggle = (): void => {
    const next = language === "nl" ? "en" : "nl";
    setLanguage(next);
    keepLanguage(next);
  };
  return (
    <MessagesProvider value={CATALOGUES[language]}>
      {quality === "session" ? (
        <Session />
      ) : quality === "sets" ? (
        <Sets />
      ) : quality === "gaps" ? (
        <Gaps />
      ) : location.pathname.replace(/\/$/, "") === DOCUMENTS_PATH ? (
        <Documents />
      ) : (
        <Page language={language} onLanguage={toggle} />
      )}
    </MessagesProvider>
  );
}

function Page({ language, onLanguage }: { language: Language; onLanguage(): void }) {
  const m = useMessages();
  const [error, setError] = useState<string | null>(null);
  const [help, setHelp] = useState(false);
  const [scope, setScope] = useState(firstScope);
  const input = useRef<HTMLTextAreaElement>(null);
  const { conversation, dispatch, send, stop, load, reset } = useConversation(setError);
  const { turns, opened } = conversation;
  const last = turns.at(-1);
  const busy = last?.state.kind === "working";
  const source = useOpened(conversation, dispatch);

  const goTo = useCallback(
    (id: string | null) => {
      setError(null);
      if (id === null) reset();
      else void load(id);
    },
    [load, reset],
  );
  const { route, go } = useAddress(conversation.id, goTo);
  const ask = (question: string, mode: Mode | null = null, literal = false): void => {
    setError(null);
    void send(question, mode, literal, scope);
  };
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

  const empty = turns.length === 0;
  const nowhere = empty && route.kind === "unknown";
  const onConversation = (id: string): void => go(conversationPath(id));
  return (
    <div className={`app ${source.shown ? "with-source" : ""}`}>
      <Header {...{ language, onLanguage, onConversation }} onNew={startAnew} onHelp={() => setHelp(true)}>
        <Banner asked={turns.length} wanting={last !== undefined && isWanting(last.state)} />
      </Header>
      <main className={`conversation ${empty ? "is-empty" : ""}`} aria-label={m.app.conversation}>
        <div className="turns">
          {error && <p className="notice serious">{m.errors[error] ?? m.errors.internal}</p>}
          {nowhere && <Nowhere onHome={startAnew} />}
          {empty && !nowhere && <Welcome />}
          {turns.map(({ key, state }) => (
            <Turn
              key={key}
              state={state}
              opened={opened?.turn === key ? opened : null}
              latest={key === last?.key}
              onOpen={(rank, span) => source.openSource(key, rank, span)}
              onAgain={ask}
              onLiteral={(question) => ask(question, null, true)}
            />
          ))}
          <EndOfTurns count={turns.length} />
        </div>
        <QuestionBox busy={busy} input={input} onAsk={ask} onStop={stop}>
          <ScopeMenu scope={scope} onScope={setScope} />
        </QuestionBox>
        {empty && !nowhere && <Empty onAsk={ask} />}
      </main>
      {source.shown && <SourcePane {...source.shown} onMove={source.movePlace} onClose={source.close} />}
      <Announcer turn={last} />
      <Help open={help} onClose={() => setHelp(false)} />
    </div>
  );
}

/** It failed, or it has to do without the generator. */
function isWanting(state: AnswerState): boolean {
  return state.kind === "failed" || view(state).notices.some(({ code }) => code === "generator_down");
}

/** Brings a new question to the top of the pane: the reader has just asked it. */
function EndOfTurns({ count }: { count: number }) {
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (count > 1) mark.current?.previousElementSibling?.scrollIntoView({ block: "start" });
  }, [count]);
  return <div ref={mark} />;
}
