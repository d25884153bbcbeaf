// The list of shortcuts.
import { useWardMessages } from "../../i18n";
import { Dialog } from "../shared/controls/Dialog";
import "../../styles/ask/help.css";

export function Help({ onClose }: { onClose(): void }) {
  const m = useWardMessages();
  return (
    <Dialog title={m.help.title} close={m.help.close} onClose={onClose}>
      <dl className="keys">
        {m.help.keys.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(/\s+/).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
