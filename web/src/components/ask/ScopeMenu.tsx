// Beside the question: who asks, and which documents may answer. Closed, it says in words what is
// set; a filter never hides silently.
import { type KeyboardEvent, useRef, useState } from "react";
import { type Messages, useMessages } from "../../i18n";
import { functionsOf, nameOf, useFacets } from "../../queries/documents/facets";
import { useSession } from "../../queries/session";
import { isFiltered, keepAsker, type Scope } from "../../state/scope";
import { lazyPart } from "../shared/controls/lazyPart";
import { Optional } from "../shared/controls/Optional";
import type { Options } from "./ScopeFields";

const ScopeFields = lazyPart(async () => (await import("./ScopeFields")).ScopeFields);

interface Props {
  scope: Scope;
  onScope(scope: Scope): void;
}

export function ScopeMenu({ scope, onScope }: Props) {
  const m = useMessages();
  const menu = useRef<HTMLDetailsElement>(null);
  const own = useSession().data?.user; // what their account says counts where they say nothing
  const asker = { function: scope.function || own?.function || "", department: scope.department || own?.department };
  const { data: facets, refetch } = useFacets(asker.function !== ""); // by then, for the function is shown by its name
  const [opened, setOpened] = useState(false);
  const toggled = (): void => {
    if (!menu.current?.open) return;
    setOpened(true);
    if (!facets) void refetch(); // what is set stays usable without it
  };
  const change = (part: Partial<Scope>): void => {
    const next = { ...scope, ...part };
    keepAsker(own?.id ?? "", next);
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
  const functions: Options = functionsOf(facets, m);
  const departments: Options = (facets?.departments ?? []).map((name) => [name, name]);
  const types: Options = (facets?.document_types ?? []).map((type) => [type, m.scope.types[type] ?? type]);
  const said = summaryOf(scope, [nameOf(functions, asker.function), asker.department], m);
  return (
    <details
      className={`scope ${isFiltered(scope) ? "filtered" : ""}`}
      ref={menu}
      onToggle={toggled}
      onKeyDown={keyDown}
    >
      <summary className="quiet" aria-label={`${m.scope.label}: ${said}`}>
        {said}
      </summary>
      <div className="scope-panel">
        {opened && (
          <Optional fallback={null} failed={<p>{m.errors.offline}</p>}>
            <ScopeFields {...{ scope, change, functions, departments, types }} />
          </Optional>
        )}
        <button type="button" className="button" onClick={close}>
          {m.scope.close}
        </button>
      </div>
    </details>
  );
}

/** "Kinderarts · Pediatrie · alleen: kinderen · ook vervallen", or what the menu is for. */
function summaryOf(scope: Scope, asker: readonly (string | undefined)[], m: Messages): string {
  const only = [
    scope.group && m.card.groups[scope.group],
    scope.fromDepartment,
    scope.type && (m.scope.types[scope.type] ?? scope.type),
    scope.language && { nl: m.scope.dutch, en: m.scope.english }[scope.language],
  ].filter(Boolean);
  const parts = [
    ...asker,
    only.length > 0 ? m.scope.onlySaid(only.join(", ")) : "",
    scope.includeExpired ? m.scope.expiredSaid : "",
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(" · ") : m.scope.label;
}
