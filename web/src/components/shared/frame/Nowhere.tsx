// That there is nothing at this address, or nothing for this reader, and the way back.
import { useMessages } from "../../../i18n";

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
