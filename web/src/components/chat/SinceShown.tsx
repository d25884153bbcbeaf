// An answer stays on a ward's screen for hours: what becomes of its document meanwhile is said at
// it, and to a screen reader.
import { useEffect } from "react";
import { useMessages } from "../../i18n";
import { useSince } from "../../queries/documents/since";
import { useSession } from "../../queries/session";
import { view } from "../../state/conversation/answer";
import type { Conversation, ConversationEvent } from "../../state/conversation/conversation";
import { sinceWords } from "../../text/documents/facts";

interface Props {
  conversation: Conversation;
  dispatch(event: ConversationEvent): void;
}

export function SinceShown({ conversation: { id, turns }, dispatch }: Props) {
  const m = useMessages();
  const pack = useSession().data?.pack; // it keeps no answers
  const complete = turns.some(({ state }) => state.kind === "complete");
  const { data } = useSince(complete && !pack ? id : null);
  useEffect(() => {
    if (data) dispatch({ type: "since", answers: data.answers });
  }, [data, dispatch]);
  const told = turns.flatMap(({ state }) => view(state).since.map((one) => sinceWords(one, m)));
  return told.length > 0 ? (
    <p className="sr-only" role="alert">
      {[...new Set(told)].join(" ")}
    </p>
  ) : null;
}
