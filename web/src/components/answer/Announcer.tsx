// Tells a screen reader when an answer has ended, not each of its words.
import { useMessages } from "../../i18n";
import { view } from "../../state/answer";
import type { Turn } from "../../state/conversation";

export function Announcer({ turn }: { turn: Turn | undefined }) {
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
