// What stands above the question box while there is no answer: a welcome, or that there is nothing at this address.
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

export function Nowhere({ onHome }: { onHome(): void }) {
  const m = useMessages();
  return (
    <div className="welcome">
      <h2>{m.notFoundPage.title}</h2>
      <button type="button" className="button" onClick={onHome}>
        {m.notFoundPage.home}
      </button>
    </div>
  );
}
