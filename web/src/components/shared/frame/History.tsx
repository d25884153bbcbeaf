// The last conversations, and the way to all of them.
import { useRef, useState } from "react";
import { failureWords, useMessages } from "../../../i18n";
import { useConversations, useForget } from "../../../queries/conversations";
import { conversationPath, pathOf } from "../../../state/window/route";
import { Confirm } from "../controls/Confirm";
import { Menu } from "../controls/Menu";
import { neighbourOf } from "../controls/neighbour";

interface Props {
  current: boolean; // the page of all of them is shown
  onConversation(id: string): void;
  onGone?: (() => void) | undefined; // the conversation on the page was deleted
}

export function History({ current, onConversation, onGone }: Props) {
  const m = useMessages();
  const menu = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  const { data: list, error, refetch } = useConversations(open);
  const forget = useForget();
  const close = (): void => {
    if (menu.current) menu.current.open = false;
  };
  const go = (id: string): void => {
    close();
    onConversation(id);
  };
  const gone = (id: string): void => {
    if (location.pathname === conversationPath(id)) onGone?.();
  };
  const remove = (id: string): void => {
    const toNext = neighbourOf(".conversation-link", ".menu[open] > summary");
    const onSuccess = (): void => {
      toNext();
      gone(id);
    };
    forget.mutate(id, { onSuccess, onError: () => void refetch() }); // it may be gone already
  };
  return (
    <Menu label={m.app.history} current={current} menu={menu} onToggle={setOpen}>
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
      <li className="menu-foot">
        <a className="quiet" href={pathOf("conversations")} aria-current={current ? "page" : undefined}>
          {m.app.historyAll}
        </a>
      </li>
    </Menu>
  );
}
