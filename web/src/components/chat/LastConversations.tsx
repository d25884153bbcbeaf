// The conversations in the menu of the bar, once it is opened: to go back to, or to delete.
import { failureWords, useMessages } from "../../i18n";
import { useConversations, useForget } from "../../queries/conversations";
import { conversationPath } from "../../state/window/route";
import { Confirm } from "../shared/controls/Confirm";
import { neighbourOf } from "../shared/controls/neighbour";

interface Props {
  shown: boolean; // the menu is open
  onConversation(id: string): void;
  onGone(): void; // the conversation on the page was deleted
}

export function LastConversations({ shown, onConversation, onGone }: Props) {
  const m = useMessages();
  const { data: list, error, refetch } = useConversations(shown);
  const forget = useForget();
  const gone = (id: string): void => {
    if (location.pathname === conversationPath(id)) onGone();
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
    <>
      {error && <li className="muted">{failureWords(error.code, m)}</li>}
      {list?.conversations.length === 0 && <li className="muted">{m.app.historyEmpty}</li>}
      {list?.conversations.map(({ id, title }) => (
        <li key={id} className="conversation-link">
          <button type="button" className="quiet" onClick={() => onConversation(id)}>
            {title}
          </button>
          <Confirm label={m.app.forget} question={m.app.sureForget} onYes={() => remove(id)} />
        </li>
      ))}
    </>
  );
}
