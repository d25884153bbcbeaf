// The last conversations, and the way to all of them.
import { lazy, useRef, useState } from "react";
import { useMessages } from "../../i18n";
import { pathOf } from "../../state/window/route";
import { Menu } from "../shared/controls/Menu";
import { Optional } from "../shared/controls/Optional";

const LastConversations = lazy(async () => ({ default: (await import("./LastConversations")).LastConversations }));

interface Props {
  onConversation(id: string): void;
  onGone(): void; // the conversation on the page was deleted
}

export function History({ onConversation, onGone }: Props) {
  const m = useMessages();
  const menu = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState<boolean | null>(null); // null: it never was
  const go = (id: string): void => {
    if (menu.current) menu.current.open = false;
    onConversation(id);
  };
  return (
    <Menu label={m.app.history} menu={menu} onToggle={setOpen}>
      {open !== null && (
        <Optional fallback={null} failed={<li className="muted">{m.errors.offline}</li>}>
          <LastConversations shown={open} onConversation={go} onGone={onGone} />
        </Optional>
      )}
      <li className="menu-foot">
        <a className="quiet" href={pathOf("conversations")}>
          {m.app.historyAll}
        </a>
      </li>
    </Menu>
  );
}
