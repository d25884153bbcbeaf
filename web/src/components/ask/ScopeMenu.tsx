// Beside the question: who asks, and which documents may answer. Closed, it says in words what is set; a filter never hides silently.
import { type KeyboardEvent, useRef } from "react";
import { type Messages, useMessages } from "../../i18n";
import { useFacets } from "../../queries/documents/facets";
import { GROUPS, isFiltered, keepAsker, type Scope, unfiltered } from "../../state/scope";
import { Choice } from "../shared/controls/Choice";

interface Props {
  scope: Scope;
  onScope(scope: Scope): void;
}

type Options = readonly (readonly [string, string])[];

export function ScopeMenu({ scope, onScope }: Props) {
  const m = useMessages();
  const menu = useRef<HTMLDetailsElement>(null);
  const { data: facets, refetch } = useFacets(scope.function !== ""); // by then, for the function is shown by its name
  const opened = (): void => {
    if (menu.current?.open && !facets) void refetch(); // what is set stays usable without it
  };
  const change = (part: Partial<Scope>): void => {
    const next = { ...scope, ...part };
    keepAsker(next);
    onScope(next);
  };
  const close = (): void => {
    if (menu.current) menu.current.open = false;
    menu.current?.querySelector("summary")?.focus();
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !menu.current?.open) return;
    event.preventDefault(); // the source behind it stays open
    close();
  };
  const functions: Options = (facets?.functions ?? []).map((one) => [
    one.id,
    m.locale.startsWith("nl") ? one.nl : one.en,
  ]);
  const departments: Options = (facets?.departments ?? []).map((name) => [name, name]);
  const types: Options = (facets?.document_types ?? []).map((type) => [type, m.scope.types[type] ?? type]);
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
        <Asker {...{ scope, change, functions, departments }} />
        <Filters {...{ scope, change, departments, types }} />
        <button type="button" className="button scope-done" onClick={close}>
          {m.help.close}
        </button>
      </div>
    </details>
  );
}

interface PartProps {
  scope: Scope;
  departments: Options;
  change(part: Partial<Scope>): void;
}

function Asker({ scope, functions, departments, change }: PartProps & { functions: Options }) {
  const m = useMessages();
  return (
    <fieldset>
      <legend>{m.scope.who}</legend>
      <Choice
        className="scope-choice"
        label={m.scope.function}
        value={scope.function}
        options={functions}
        none={m.scope.unsaid}
        onValue={(chosen) => change({ function: chosen })}
      />
      <Choice
        className="scope-choice"
        label={m.scope.department}
        value={scope.department}
        options={departments}
        none={m.scope.unsaid}
        onValue={(department) => change({ department })}
      />
      <p className="muted">{m.scope.whoHelp}</p>
    </fieldset>
  );
}

function Filters({ scope, departments, types, change }: PartProps & { types: Options }) {
  const m = useMessages();
  return (
    <fieldset>
      <legend>{m.scope.only}</legend>
      <Choice
        className="scope-choice"
        label={m.scope.group}
        value={scope.group}
        options={GROUPS.map((group) => [group, m.card.groups[group]] as const)}
        none={m.scope.all}
        onValue={(group) => change({ group })}
      />
      <Choice
        className="scope-choice"
        label={m.scope.fromDepartment}
        value={scope.fromDepartment}
        options={departments}
        none={m.scope.all}
        onValue={(fromDepartment) => change({ fromDepartment })}
      />
      <Choice
        className="scope-choice"
        label={m.scope.type}
        value={scope.type}
        options={types}
        none={m.scope.all}
        onValue={(type) => change({ type })}
      />
      <Choice
        className="scope-choice"
        label={m.scope.language}
        value={scope.language}
        options={[["nl", m.scope.dutch] as const, ["en", m.scope.english] as const]}
        none={m.scope.all}
        onValue={(language) => change({ language })}
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
