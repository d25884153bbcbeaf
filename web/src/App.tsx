// The page: conversation on the left, the open source on the right. Joins state, address and keys; draws little itself.
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { getHealth } from "./api/client";
import type { Health, Mode, Span } from "./api/types";
import { Empty } from "./components/Empty";
import { Header } from "./components/Header";
import { Help } from "./components/Help";
import { QuestionBox } from "./components/QuestionBox";
import { SourcePane } from "./components/SourcePane";
import { Turn } from "./components/Turn";
import { CATALOGUES, firstLanguage, keepLanguage, MessagesProvider, useMessages } from "./i18n";
import { highlightsOf, indexOf, spanKey } from "./pdf/highlights";
import { pdfjs } from "./pdf/load";
import { conversationPath, useRoute } from "./route";
import { view } from "./state/answer";
import { useConversation } from "./state/useConversation";
import { useShortcuts } from "./useShortcuts";

/** pdf.js is large: it comes while the first question is typed, not after it is answered. */
const whenIdle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500));
whenIdle(() => void pdfjs().catch(() => undefined));

export function App() {
  const [language, setLanguage] = useState(firstLanguage);
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
      <Conversation language={language} onLanguage={toggle} />
    </MessagesProvider>
  );
}

function Conversation({ language, onLanguage }: { language: "nl" | "en"; onLanguage(): void }) {
  const m = useMessages();
  const { route, go, name } = useRoute();
  const [error, setError] = useState<string | null>(null);
  const [help, setHelp] = useState(false);
  const input = useRef<HTMLTextAreaElement>(null);
  const { conversation, dispatch, send, stop, load, reset } = useConversation(setError);
  const { id, turns, opened } = conversation;
  const last = turns.at(-1);
  const busy = last?.state.kind === "working";
  const health = useHealth(last?.state.kind === "failed");

  // The address follows the conversation, and the conversation an address that the reader went to.
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (id === null || id === shown.current) return;
    shown.current = id;
    name(conversationPath(id));
  }, [id, name]);
  useEffect(() => {
    const wanted = route.kind === "conversation" ? route.id : null;
    if (wanted === shown.current) return;
    shown.current = wanted;
    setError(null);
    if (wanted === null) reset();
    else void load(wanted);
  }, [route, load, reset]);

  const open = useOpened(conversation, useNarrow());
  const openSource = useCallback(
    (turn: string, rank: number, span?: Span) =>
      dispatch({ type: "open", turn, rank, highlight: span ? spanKey(span) : null }),
    [dispatch],
  );
  const move = (step: 1 | -1): void => {
    if (!open || !opened || open.highlights.length < 2) return;
    const count = open.highlights.length;
    const next = open.highlights[(open.current + step + count) % count];
    if (next) dispatch({ type: "open", turn: opened.turn, rank: opened.rank, highlight: next.key });
  };
  const moveSource = (step: 1 | -1): void => {
    const turn = opened?.turn ?? last?.key;
    const sources = turns.find((one) => one.key === turn)?.state;
    const ranks = sources ? view(sources).sources.map((source) => source.rank) : [];
    const rank = ranks[(ranks.indexOf(opened?.rank ?? Number.NaN) + step + ranks.length) % ranks.length];
    if (turn && rank !== undefined) openSource(turn, rank);
  };
  const askNow = (question: string, mode: Mode | null = null): void => {
    setError(null);
    void send(question, mode);
  };
  const startAnew = (): void => {
    setError(null);
    shown.current = null;
    reset();
    go("/");
    input.current?.focus();
  };
  useShortcuts({
    "/": () => input.current?.focus(),
    "?": () => setHelp(true),
    Escape: () => (busy ? stop() : dispatch({ type: "close" })),
    j: () => moveSource(1),
    k: () => moveSource(-1),
    n: () => move(1),
    p: () => move(-1),
  });

  const empty = turns.length === 0;
  return (
    <div className={`app ${open ? "with-source" : ""}`}>
      <Header
        language={language}
        onLanguage={onLanguage}
        onNew={startAnew}
        onConversation={(one) => go(conversationPath(one))}
        onHelp={() => setHelp(true)}
      >
        <Banner health={health} />
      </Header>
      <main className={`conversation ${empty ? "is-empty" : ""}`} aria-label={m.app.conversation}>
        <div className="turns">
          {route.kind === "unknown" && empty && <Nowhere onHome={startAnew} />}
          {error && <p className="notice serious">{m.errors[error] ?? m.errors.internal}</p>}
          {empty && route.kind !== "unknown" && (
            <div className="welcome">
              <h2>{m.empty.title}</h2>
              <p>{m.empty.lead}</p>
            </div>
          )}
          {turns.map(({ key, state }) => (
            <Turn
              key={key}
              state={state}
              opened={opened?.turn === key ? opened : null}
              latest={key === last?.key}
              onOpen={(rank, span) => openSource(key, rank, span)}
              onAgain={askNow}
            />
          ))}
          <EndOfTurns count={turns.length} />
        </div>
        <QuestionBox busy={busy} input={input} onAsk={askNow} onStop={stop} />
        {empty && route.kind !== "unknown" && <Empty onAsk={askNow} />}
      </main>
      {open && <SourcePane {...open} onMove={move} onClose={() => dispatch({ type: "close" })} />}
      <Announcer turn={last} />
      <Help open={help} onClose={() => setHelp(false)} />
    </div>
  );
}

/** The open source with its marked places. The same array while nothing about it changes. */
function useOpened({ turns, opened }: ReturnType<typeof useConversation>["conversation"], narrow: boolean) {
  const state = turns.find((turn) => turn.key === opened?.turn)?.state;
  const { sources, spans } = useMemo(() => (state ? view(state) : { sources: [], spans: [] }), [state]);
  const source = sources.find((one) => one.rank === opened?.rank);
  const highlights = useMemo(() => (source ? highlightsOf(source, spans) : []), [source, spans]);
  if (!source || !opened || (narrow && !opened.chosen)) return null; // where it would cover the answer, only a click opens it
  return { source, highlights, current: indexOf(highlights, opened.highlight, source.rank) };
}

const NARROW = "(max-width: 1023px)"; // as in page.css

function useNarrow(): boolean {
  const subscribe = useCallback((changed: () => void) => {
    const query = window.matchMedia(NARROW);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}

/** Asked at the start, and again when an answer failed: then the reader should hear what is wrong. */
function useHealth(failed: boolean): Health | null {
  const [health, setHealth] = useState<Health | null>(null);
  useEffect(() => {
    getHealth().then(setHealth, () => undefined); // without it the page works; asking will say what is wrong
  }, [failed]);
  return health;
}

/** One line under the bar for what holds of the whole page. */
function Banner({ health }: { health: Health | null }) {
  const m = useMessages();
  const online = useOnline();
  if (!online) return <p className="banner serious">{m.errors.offlineNow}</p>;
  if (health?.status === "down") return <p className="banner serious">{m.errors.down}</p>;
  if (health?.status === "degraded") return <p className="banner serious">{m.errors.degraded}</p>;
  return health?.demo ? <p className="banner">{m.app.demo}</p> : null;
}

function useOnline(): boolean {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const changed = (): void => setOnline(navigator.onLine);
    window.addEventListener("online", changed);
    window.addEventListener("offline", changed);
    return () => {
      window.removeEventListener("online", changed);
      window.removeEventListener("offline", changed);
    };
  }, []);
  return online;
}

/** Brings a new question to the top of the pane: the reader has just asked it. */
function EndOfTurns({ count }: { count: number }) {
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (count > 1) mark.current?.previousElementSibling?.scrollIntoView({ block: "start" });
  }, [count]);
  return <div ref={mark} />;
}

function Nowhere({ onHome }: { onHome(): void }) {
  const m = useMessages();
  return (
    <div className="welcome">
      <h2>{m.notFoundPage.title}</h2>
      <button type="button" className="button" onClick={onHome}>
        {m.notFoundPage.home}
      </button>
    </div>
  );
}

/** Tells a screen reader when an answer has ended, not each of its words. */
function Announcer({
  turn,
}: {
  turn: ReturnType<typeof useConversation>["conversation"]["turns"][number] | undefined;
}) {
  const m = useMessages();
  const kind = turn?.state.kind;
  const count = turn ? view(turn.state).sources.length : 0;
  const words = kind === "complete" ? m.answer.complete(count) : kind === "stopped" ? m.answer.stoppedSpoken : "";
  return (
    <p className="sr-only" role="status" aria-live="polite">
      {words}
    </p>
  );
}
