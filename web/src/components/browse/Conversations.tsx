// What the reader asked before: found again, named, pinned, saved or deleted.
import { useEffect, useRef, useState } from "react";
import { useStaffMessages } from "../../i18n";
import { useConversationPages } from "../../queries/conversationPages";
import { useDelayed } from "../../queries/useDelayed";
import { Problem } from "../shared/controls/Problem";
import { Staff } from "../shared/frame/Staff";
import { Conversation, pinId } from "./Conversation";
import { byTime } from "./time";
import "../../styles/ask/conversations.css";

export function Conversations() {
  const m = useStaffMessages();
  const [typed, setTyped] = useState("");
  const search = useDelayed(typed.trim());
  const { data, error, hasNextPage, fetchNextPage } = useConversationPages(search);
  const conversations = data?.pages.flatMap((page) => page.conversations) ?? [];
  const total = data?.pages.at(-1)?.total;
  const onMoved = useFocusOnMoved();
  return (
    <Staff page="conversations" lead={m.conversations.lead}>
      <search>
        <label className="admin-search">
          {m.conversations.search}
          <input type="search" value={typed} maxLength={200} onChange={(event) => setTyped(event.target.value)} />
        </label>
      </search>
      <Problem code={error?.code} />
      <p className="made" role="status">
        {total !== undefined && m.conversations.count(conversations.length, total, search !== "")}
      </p>
      {byTime(conversations, new Date()).map(({ group, members }) => (
        <section key={group} className="asked-then" aria-labelledby={`asked-${group}`}>
          <h3 id={`asked-${group}`}>{m.conversations.groups[group]}</h3>
          <ul className="cards">
            {members.map((one) => (
              <Conversation key={one.id} conversation={one} onMoved={onMoved} />
            ))}
          </ul>
        </section>
      ))}
      {hasNextPage && (
        <button type="button" className="link" onClick={() => void fetchNextPage()}>
          {m.conversations.more}
        </button>
      )}
    </Staff>
  );
}

/** A conversation that is pinned goes to another group, and the focus goes with it. */
function useFocusOnMoved(): (id: string) => void {
  const moved = useRef<string | null>(null);
  useEffect(() => {
    if (moved.current === null || document.activeElement !== document.body) return;
    document.getElementById(pinId(moved.current))?.focus();
    moved.current = null;
  });
  return (id) => {
    moved.current = id;
  };
}
