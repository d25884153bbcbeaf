// A field with values to choose from, in which something else may be typed.
import { type ReactNode, useId } from "react";

interface Props {
  label: string;
  value: string;
  children: ReactNode; // options
  onValue(value: string): void;
}

export function Suggested({ label, value, children, onValue }: Props) {
  const list = useId();
  return (
    <label className="document-field">
      {label}
      <input list={list} maxLength={200} value={value} onChange={(event) => onValue(event.target.value)} />
      <datalist id={list}>{children}</datalist>
    </label>
  );
}
