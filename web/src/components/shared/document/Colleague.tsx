// A field that names a colleague who may read a document, or here at all, with those who can be
// named to choose from as soon as one is in it.
import { useId, useState } from "react";
import { useColleagues } from "../../../queries/staff/accounts";
import { useDelayed } from "../../../queries/useDelayed";

interface Props {
  label: string;
  className: string;
  document?: string; // none: who reads anything
  reviewing?: boolean; // only who may say that a document holds
  value: string;
  onValue(value: string): void;
  onChosen?(value: string): void; // the field is left
}

export function Colleague({ label, className, document = "", reviewing = false, value, onValue, onChosen }: Props) {
  const list = useId();
  const [entered, setEntered] = useState(false);
  const { data: found = [] } = useColleagues(document, useDelayed(value.trim()), reviewing, entered);
  return (
    <label className={className}>
      {label}
      <input
        list={list}
        maxLength={200}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onFocus={() => setEntered(true)}
        onChange={(event) => onValue(event.target.value)}
        onBlur={() => onChosen?.(value)}
      />
      <datalist id={list}>
        {found.map(({ name, called }) => (
          <option key={called} value={called} label={name === called ? undefined : name} />
        ))}
      </datalist>
    </label>
  );
}
