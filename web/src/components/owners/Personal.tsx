// Words for an owner, or of one, seem to identify a patient: nothing was kept, and they go without
// that or not at all.
import { useEffect, useRef } from "react";

interface Props {
  words: { personal: string; remove: string };
  instead: string;
  onRemove(): void;
}

export function Personal({ words, instead, onRemove }: Props) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.focus(), []); // a dialog's fold may hide it; the focus brings it into view
  return (
    <div className="notice serious" role="alert" tabIndex={-1} ref={shown}>
      <p>{words.personal}</p>
      <p>
        <q>{instead}</q>
      </p>
      <button type="button" className="button" onClick={onRemove}>
        {words.remove}
      </button>
    </div>
  );
}
