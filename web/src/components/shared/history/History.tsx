// The menu of the last conversations, and the way to all of them.
import { useRef, useState } from "react";
import { failureWords, useMessages } from "../../../i18n";
import { pathOf } from "../../../state/window/route";
import { lazyPart } from "../controls/lazyPart";
import { Menu } from "../controls/Menu";
import { Optional } from "../controls/Optional";
import type { Asked } from "./LastAsked";

const LastAsked = lazyPart(async () => (await import("./LastAsked")).LastAsked);

interface Props extends Asked {
  current: boolean; // the page of all of them is shown
}

export function History({ current, onConversation, onGone }: Props) {
  const m = useMessages();
  const menu = useRef<HTMLDetailsElement>(null);
  const [open, setOpen] = useState(false);
  const go = (id: string): void => {
    if (menu.current) menu.current.open = false;
    onConversation(id);
  };
  return (
    <Menu label={m.app.history} current={current} menu={menu} onToggle={setOpen}>
      {open && (
        <Optional fallback={null} failed={<li className="muted">{failureWords("offline", m)}</li>}>
          <LastAsked onConversation={go} onGone={onGone} />
        </Optional>
      )}
      <li className="menu-foot">
        <a className="quiet" href={pathOf("conversations")} aria-current={current ? "page" : undefined}>
          {m.app.historyAll}
        </a>
      </li>
    </Menu>
  );
}
