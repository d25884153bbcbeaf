// A dialog of the browser's own: it keeps the focus inside and closes with Esc. Its name on top, at
// its foot what may be done and the way out.
import { type ReactNode, useEffect, useId, useRef } from "react";
import "../../../styles/base/dialog.css";

interface Props {
  title: string;
  close: string; // what the way out is called
  onClose(): void;
  action?: ReactNode; // beside it
  children: ReactNode;
}

export function Dialog({ title, close, onClose, action, children }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="dialog" onClose={onClose} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
      <div className="dialog-foot">
        {action}
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          {close}
        </button>
      </div>
    </dialog>
  );
}
