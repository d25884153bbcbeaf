// What stands above the question box before the first question.
import { useMessages } from "../../i18n";

export function Welcome() {
  const m = useMessages();
  return (
    <div className="welcome">
      <h2>{m.empty.title}</h2>
      <p>{m.empty.lead}</p>
    </div>
  );
}
