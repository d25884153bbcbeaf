// A button that asks once more before it does what cannot be undone, or what others see at once.
// Escape or the second button leaves everything as it is.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useMessages } from "../../../i18n";

interface Props {
  label: ReactNode;
  question: string;
  yes?: string; // what doing it is called; else "Yes, delete"
  disabled?: boolean; // something is to be said first
  onYes(): void;
  children?: ReactNode; // what can be said with it
}

export function Confirm({ label, question, yes, disabled, onYes, children }: Props) {
  const m = useMessages();
  const [asking, setAsking] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const was = useRef(false);
  useEffect(() => {
    if (asking) keep.current?.focus();
    else if (was.current) first.current?.focus();
    was.current = asking;
  }, [asking]);
  if (!asking)
    return (
      <button type="button" className="link danger" ref={first} onClick={() => setAsking(true)}>
        {label}
      </button>
    );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box within the form
    <span
      role="group"
      className="confirm"
      aria-label={question}
      onKeyDown={(event) => event.key === "Escape" && setAsking(false)}
    >
      <span>{question}</span>
      {children}
      <button type="button" className="button danger" disabled={disabled} onClick={onYes}>
        {yes ?? m.confirm.yes}
      </button>
      <button type="button" className="button" ref={keep} onClick={() => setAsking(false)}>
        {m.confirm.no}
      </button>
    </span>
  );
}
