// Earlier conversations, and the ways to the other pages.
import { type KeyboardEvent, useRef, useState } from "react";
import { failureWords, useMessages } from "../../i18n";
import { useConversations, useForget } from "../../queries/conversations";
import { useRoles } from "../../queries/session";
import { conversationPath, pagesFor, pathOf } from "../../state/window/route";
import { Confirm } from "../shared/controls/Confirm";

interface Props {
  onConversation(id: string): void;
  onGone(): void; // the conversation on the page was deleted
}

export function History({ onConversation, onGone }: Props) {
  const m = useMessages();
  const menu = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  const { data: list, error, refetch } = useConversations(open);
  const forget = useForget();
  const pages = pagesFor(useRoles());
  const close = (): void => {
    if (menu.current) menu.current.open = false;
  };
  const go = (id: string): void => {
    close();
    onConversation(id);
  };
  const gone = (id: string): void => {
    if (location.pathname === conversationPath(id)) onGone();
  };
  const remove = (id: string): void => forget.mutate(id, { onSuccess: () => gone(id), onError: () => void refetch() }); // it may be gone already
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.preventDefault(); // the source behind it stays open
    close();
  };
  return (
    <details
      className="menu"
      ref={menu}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onKeyDown={keyDown}
      onBlur={(event) => closeWhenLeft(event.currentTarget, event.relatedTarget)}
    >
      <summary className="quiet">{m.app.history}</summary>
      <ul>
        {error && <li className="muted">{failureWords(error.code, m)}</li>}
        {list?.conversations.length === 0 && <li className="muted">{m.app.historyEmpty}</li>}
        {list?.conversations.map(({ id, title }) => (
          <li key={id} className="conversation-link">
            <button type="button" className="quiet" onClick={() => go(id)}>
              {title}
            </button>
            <Confirm label={m.app.forget} question={m.app.sureForget} onYes={() => remove(id)} />
          </li>
        ))}
        {pages.map((page) => (
          <li key={page} className="quality-link">
            <a className="quiet" href={pathOf(page)}>
              {m.pageNames[page]}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function closeWhenLeft(menu: HTMLDetailsElement, to: EventTarget | null): void {
  if (to instanceof Node && menu.contains(to)) return;
  if (to !== null) menu.open = false;
}
