// The bar on top: new question, earlier ones, language, theme, help.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { deleteConversation, getConversations } from "../../api/client";
import type { ConversationList } from "../../api/types";
import { type Language, useMessages } from "../../i18n";
import { recall, remember } from "../../settings";
import { conversationPath, DOCUMENTS_PATH } from "../../state/route";
import { QualityLinks } from "../quality/Links";
import { Confirm } from "./Confirm";

interface Props {
  language: Language;
  onLanguage(): void;
  onNew(): void;
  onConversation(id: string): void;
  onHelp(): void;
  children: ReactNode; // what stands under the bar
}

export function Header({ language, onLanguage, onNew, onConversation, onHelp, children }: Props) {
  const m = useMessages();
  return (
    <header className="top">
      <div className="bar">
        <a className="skip" href="#question">
          {m.app.skip}
        </a>
        <h1 className="wordmark">{m.app.name}</h1>
        <button type="button" className="quiet" onClick={onNew}>
          {m.app.newConversation}
        </button>
        <History onConversation={onConversation} onNew={onNew} />
        <span className="spacer" />
        <Theme />
        <button
          type="button"
          className="quiet"
          lang={language === "nl" ? "en" : "nl"}
          onClick={onLanguage}
          aria-label={m.app.languageLabel}
        >
          {m.app.language}
        </button>
        <button
          type="button"
          className="quiet icon"
          onClick={onHelp}
          aria-label={m.app.help}
          title={`${m.app.help} (?)`}
        >
          ?
        </button>
      </div>
      {children}
    </header>
  );
}

const HISTORY = 20;

function History({ onConversation, onNew }: Pick<Props, "onConversation" | "onNew">) {
  const m = useMessages();
  const menu = useRef<HTMLDetailsElement>(null);
  const [list, setList] = useState<ConversationList | null>(null);
  const load = (): void => {
    if (menu.current?.open) getConversations(HISTORY).then(setList, () => setList({ conversations: [], total: 0 }));
  };
  const close = (): void => {
    if (menu.current) menu.current.open = false;
  };
  const go = (id: string): void => {
    close();
    onConversation(id);
  };
  const forget = (id: string): void => {
    deleteConversation(id).then(() => {
      if (location.pathname === conversationPath(id)) onNew(); // what was on the page is gone
      load();
    }, load); // it may be gone already
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.preventDefault(); // the source behind it stays open
    close();
  };
  return (
    <details
      className="menu"
      ref={menu}
      onToggle={load}
      onKeyDown={keyDown}
      onBlur={(event) => closeWhenLeft(event.currentTarget, event.relatedTarget)}
    >
      <summary className="quiet">{m.app.history}</summary>
      <ul>
        {list?.conversations.length === 0 && <li className="muted">{m.app.historyEmpty}</li>}
        {list?.conversations.map(({ id, title }) => (
          <li key={id} className="conversation-link">
            <button type="button" className="quiet" onClick={() => go(id)}>
              {title}
            </button>
            <Confirm
              label={m.app.forget}
              question={m.app.sureForget}
              yes={m.sets.yes}
              no={m.sets.no}
              onYes={() => forget(id)}
            />
          </li>
        ))}
        {list && <QualityLinks />}
        <li className="quality-link">
          <a className="quiet" href={DOCUMENTS_PATH}>
            {m.admin.documents}
          </a>
        </li>
      </ul>
    </details>
  );
}

function closeWhenLeft(menu: HTMLDetailsElement, to: EventTarget | null): void {
  if (to instanceof Node && menu.contains(to)) return;
  if (to !== null) menu.open = false;
}

const THEMES = ["auto", "light", "dark"] as const;
type ThemeName = (typeof THEMES)[number];

function Theme() {
  const m = useMessages();
  const [theme, setTheme] = useState<ThemeName>(() => THEMES.find((one) => one === recall("theme")) ?? "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    remember("theme", theme);
  }, [theme]);
  return (
    <select
      className="quiet theme"
      value={theme}
      aria-label={m.app.theme}
      title={m.app.theme}
      onChange={(event) => setTheme(event.target.value as ThemeName)}
    >
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {m.app.themes[one]}
        </option>
      ))}
    </select>
  );
}
