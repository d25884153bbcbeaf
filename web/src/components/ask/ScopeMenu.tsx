// Beside the question: who asks, and which documents may answer. Closed, it says in words what is set; a filter never hides silently.
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from "react";
import { getFacets } from "../../api/client";
import type { Facets } from "../../api/types";
import { type Messages, useMessages } from "../../i18n";
import { GROUPS, isFiltered, keepAsker, type Scope, unfiltered } from "../../state/scope";

interface Props {
  scope: Scope;
  onScope(scope: Scope): void;
}

export function ScopeMenu({ scope, onScope }: Props) {
  const m = useMessages();
  const menu = useRef<HTMLDetailsElement>(null);
  const [facets, setFacets] = useState<Facets | null>(null);
  const load = useCallback((): void => {
    getFacets().then(setFacets, () => undefined); // what is set stays usable without it
  }, []);
  const named = scope.function !== "";
  useEffect(() => {
    if (named) load(); // the function is shown by its name
  }, [named, load]);
  const opened = (): void => {
    if (menu.current?.open && facets === null) load();
  };
  const change = (part: Partial<Scope>): void => {
    const next = { ...scope, ...part };
    keepAsker(next);
    onScope(next);
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.preventDefault(); // the source behind it stays open
    menu.current.open = false;
    menu.current.querySelector("summary")?.focus();
  };
  const functions = (facets?.functions ?? []).map(
    (one) => [one.id, m.locale.startsWith("nl") ? one.nl : one.en] as const,
  );
  const departments = (facets?.departments ?? []).map((name) => [name, name] as const);
  const said = summaryOf(scope, functions.find(([id]) => id === scope.function)?.[1] ?? scope.function, m);
  return (
    <details
      className={`scope ${isFiltered(scope) ? "filtered" : ""}`}
      ref={menu}
      onToggle={opened}
      onKeyDown={keyDown}
    >
      <summary className="quiet" aria-label={`${m.scope.label}: ${said}`}>
        {said}
      </summary>
      <div className="scope-panel">
        <fieldset>
          <legend>{m.scope.who}</legend>
          <Choice
            label={m.scope.function}
            value={scope.function}
            options={functions}
            none={m.scope.unsaid}
            onChange={(v) => change({ function: v })}
          />
          <Choice
            label={m.scope.department}
            value={scope.department}
            options={departments}
            none={m.scope.unsaid}
            onChange={(v) => change({ department: v })}
          />
          <p className="muted">{m.scope.whoHelp}</p>
        </fieldset>
        <fieldset>
          <legend>{m.scope.only}</legend>
          <Choice
            label={m.scope.group}
            value={scope.group}
            options={GROUPS.map((group) => [group, m.card.groups[group]])}
            none={m.scope.all}
            onChange={(v) => change({ group: v as Scope["group"] })}
          />
          <Choice
            label={m.scope.fromDepartment}
            value={scope.fromDepartment}
            options={departments}
            none={m.scope.all}
            onChange={(v) => change({ fromDepartment: v })}
          />
          <Choice
            label={m.scope.type}
            value={scope.type}
            options={(facets?.document_types ?? []).map((type) => [type, m.scope.types[type] ?? type])}
            none={m.scope.all}
            onChange={(v) => change({ type: v })}
          />
          <Choice
            label={m.scope.language}
            value={scope.language}
            options={[
              ["nl", m.scope.dutch],
              ["en", m.scope.english],
            ]}
            none={m.scope.all}
            onChange={(v) => change({ language: v as Scope["language"] })}
          />
          <label className="scope-check">
            <input
              type="checkbox"
              checked={scope.includeExpired}
              onChange={(event) => change({ includeExpired: event.target.checked })}
            />
            {m.scope.includeExpired}
          </label>
          <button type="button" className="link" onClick={() => change(unfiltered(scope))}>
            {m.scope.clear}
          </button>
        </fieldset>
      </div>
    </details>
  );
}

interface ChoiceProps {
  label: ReactNode;
  value: string;
  options: readonly (readonly [string, string])[];
  none: string;
  onChange(value: string): void;
}

function Choice({ label, value, options, none, onChange }: ChoiceProps) {
  const id = useId();
  const known = options.some(([one]) => one === value);
  return (
    <div className="scope-choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{none}</option>
        {value !== "" && !known && <option value={value}>{value}</option>}
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** "Kinderarts · Pediatrie · alleen: kinderen · ook vervallen", or what the menu is for. */
function summaryOf(scope: Scope, functionName: string, m: Messages): string {
  const only = [
    scope.group && m.card.groups[scope.group],
    scope.fromDepartment,
    scope.type && (m.scope.types[scope.type] ?? scope.type),
    scope.language && { nl: m.scope.dutch, en: m.scope.english }[scope.language],
  ].filter(Boolean);
  const parts = [
    functionName,
    scope.department,
    only.length > 0 ? m.scope.onlySaid(only.join(", ")) : "",
    scope.includeExpired ? m.scope.expiredSaid : "",
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(" · ") : m.scope.label;
}
