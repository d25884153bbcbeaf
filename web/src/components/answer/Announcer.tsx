// Tells a screen reader when an answer has ended, not each of its words.
import { useMessages } from "../../i18n";
import { view } from "../../state/answer";
import type { Turn } from "../../state/conversation";

export function Announcer({ turn }: { turn: Turn | undefined }) {
  const m = useMessages();
  const kind = turn?.state.kind;
  const { sources, notNamed } = turn ? view(turn.state) : { sources: [], notNamed: [] };
  const hint = notNamed.length > 0 ? ` ${m.answer.notNamed(notNamed)}.` : "";
  const words =
    kind === "complete" ? m.answer.complete(sources.length) + hint : kind === "stopped" ? m.answer.stoppedSpoken : "";
  return (
    <p className="sr-only" role="status" aria-live="polite">
      {words}
    </p>
  );
}
