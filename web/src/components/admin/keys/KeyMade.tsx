// A key that was just made, this once: to be copied and put away.
import { useEffect, useRef, useState } from "react";
import type { NewKey } from "../../../api/types";
import { formatMoment, useStaffMessages } from "../../../i18n";

export function KeyMade({ made, onDone }: { made: NewKey; onDone(): void }) {
  const m = useStaffMessages();
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  useEffect(() => field.current?.select(), []);
  const copy = async (): Promise<void> => {
    field.current?.select();
    const copied = await navigator.clipboard?.writeText(made.key).then(
      () => true,
      () => false,
    );
    setSaid(copied ? m.keys.copied : m.keys.notCopied);
  };
  return (
    <section className="card new-question key-made" aria-label={m.keys.madeTitle}>
      <h3 className="document-title">
        {made.name} <span className="muted">{m.keys.until(formatMoment(made.expires_at, m))}</span>
      </h3>
      <p>{m.keys.madeLead}</p>
      <span className="with-button">
        <input readOnly ref={field} aria-label={m.keys.madeTitle} value={made.key} />
        <button type="button" className="button" onClick={() => void copy()}>
          {m.keys.copy}
        </button>
      </span>
      <p className="document-said" role="status">
        {said}
      </p>
      <button type="button" className="button primary" onClick={onDone}>
        {m.keys.done}
      </button>
    </section>
  );
}
