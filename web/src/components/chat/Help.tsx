// The list of shortcuts, as a dialog of the browser's own: it keeps the focus inside and closes
// with Esc.
import { useEffect, useRef } from "react";
import { useWardMessages } from "../../i18n";
import "../../styles/ask/help.css";

export function Help({ onClose }: { onClose(): void }) {
  const m = useWardMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="help" onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">{m.help.title}</h2>
      <dl>
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
      <button type="button" className="button" onClick={() => dialog.current?.close()}>
        {m.help.close}
      </button>
    </dialog>
  );
}
