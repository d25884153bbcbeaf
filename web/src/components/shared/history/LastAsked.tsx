// The last conversations, each with when something was last asked in it.
import { failureWords, useMessages } from "../../../i18n";
import { useConversations, useForget } from "../../../queries/conversations";
import { conversationPath } from "../../../state/window/route";
import { Confirm } from "../controls/Confirm";
import { neighbourOf } from "../controls/neighbour";

export interface Asked {
  onConversation(id: string): void;
  onGone?: (() => void) | undefined; // the conversation on the page was deleted
}

const WHEN = { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;

export function LastAsked({ onConversation, onGone }: Asked) {
  const m = useMessages();
  const { data: list, error, refetch } = useConversations(true);
  const forget = useForget();
  const remove = (id: string): void => {
    const toNext = neighbourOf(".conversation-link", ".menu[open] > summary");
    const onSuccess = (): void => {
      toNext();
      if (location.pathname === conversationPath(id)) onGone?.();
    };
    forget.mutate(id, { onSuccess, onError: () => void refetch() }); // it may be gone already
  };
  return (
    <>
      {error && <li className="muted">{failureWords(error.code, m)}</li>}
      {list?.conversations.length === 0 && <li className="muted">{m.app.historyEmpty}</li>}
      {list?.conversations.map(({ id, title, updated_at }) => (
        <li key={id} className="conversation-link">
          <button type="button" className="quiet" onClick={() => onConversation(id)}>
            {title}
          </button>
          <time className="muted" dateTime={updated_at}>
            {new Date(updated_at).toLocaleString(m.locale, WHEN)}
          </time>
          <Confirm label={m.app.forget} question={m.app.sureForget} onYes={() => remove(id)} />
        </li>
      ))}
    </>
  );
}
