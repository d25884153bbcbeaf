// What a page was asked to show, as its address says it: what is not as at first, each in the type
// of that.
type Value = string | number | boolean | null;
export type Shown<T> = { [Name in keyof T]: Value };

export function inAddress<T extends Shown<T>>(search: string, first: T): T {
  const said = new URLSearchParams(search);
  const values = Object.entries<Value>(first).map(([name, usual]) => [name, as(usual, said.get(name))]);
  return Object.fromEntries(values);
}

function as(usual: Value, said: string | null): Value {
  if (said === null) return usual;
  if (typeof usual === "boolean") return said === "true";
  if (typeof usual !== "number") return said;
  return Number.isFinite(Number(said)) ? Number(said) : usual;
}

export function addressOf<T extends Shown<T>>(now: T, first: T): string {
  const usual = new Map(Object.entries<Value>(first));
  const own = Object.entries<Value>(now).filter(([name, value]) => value !== usual.get(name) && value !== null);
  const said = new URLSearchParams(own.map(([name, value]) => [name, String(value)])).toString();
  return said && `?${said}`;
}
