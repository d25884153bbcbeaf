// A choice of a few known values: the browser's own `select`, typed; with its label, or without.
import { type ComponentProps, type ReactNode, useId } from "react";
import { known } from "../../../text/known";

interface Props<Value extends string> extends Omit<ComponentProps<"select">, "value" | "onChange"> {
  value: Value | "";
  options: readonly (readonly [Value, string])[];
  none?: string | null; // what "" is called; null: one must be chosen
  onValue(value: Value | ""): void;
}

export function Options<Value extends string>({ value, options, none = null, onValue, ...rest }: Props<Value>) {
  const values = options.map(([one]) => one);
  const strange = value !== "" && !values.includes(value); // kept from earlier, or not known yet: shown as it is
  return (
    <select {...rest} value={value} onChange={(event) => onValue(known(values, event.target.value) ?? "")}>
      {none !== null && <option value="">{none}</option>}
      {strange && <option value={value}>{value}</option>}
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface ChoiceProps<Value extends string> extends Props<Value> {
  label: ReactNode;
}

/** `className`: of both together. */
export function Choice<Value extends string>({ label, className, ...rest }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id}>{label}</label>
      <Options {...rest} id={id} />
    </div>
  );
}
