// Who asks, and which documents may answer: what stands in the menu beside the question once it is
// opened.
import { useWardMessages } from "../../i18n";
import { nameOf } from "../../queries/documents/facets";
import { useSession } from "../../queries/session";
import { GROUPS, type Scope, unfiltered } from "../../state/scope";
import { Choice } from "../shared/controls/Choice";

export type Options = readonly (readonly [string, string])[];

interface PartProps {
  scope: Scope;
  departments: Options;
  change(part: Partial<Scope>): void;
}

export function ScopeFields({
  scope,
  change,
  functions,
  departments,
  types,
}: PartProps & Record<"functions" | "types", Options>) {
  return (
    <>
      <Asker {...{ scope, change, functions, departments }} />
      <Filters {...{ scope, change, departments, types }} />
    </>
  );
}

function Asker({ scope, functions, departments, change }: PartProps & { functions: Options }) {
  const m = useWardMessages();
  const own = useSession().data?.user;
  const unsaid = (given: string | undefined): string => (given ? m.asking.ofAccount(given) : m.scope.unsaid);
  return (
    <fieldset>
      <legend>{m.asking.who}</legend>
      <Choice
        className="scope-choice"
        label={m.scope.function}
        value={scope.function}
        options={functions}
        none={unsaid(nameOf(functions, own?.function ?? ""))}
        onValue={(chosen) => change({ function: chosen })}
      />
      <Choice
        className="scope-choice"
        label={m.scope.department}
        value={scope.department}
        options={departments}
        none={unsaid(own?.department)}
        onValue={(department) => change({ department })}
      />
      <p className="muted">{m.asking.whoHelp}</p>
    </fieldset>
  );
}

function Filters({ scope, departments, types, change }: PartProps & { types: Options }) {
  const m = useWardMessages();
  return (
    <fieldset>
      <legend>{m.asking.only}</legend>
      <Choice
        className="scope-choice"
        label={m.asking.group}
        value={scope.group}
        options={GROUPS.map((group) => [group, m.card.groups[group]] as const)}
        none={m.scope.all}
        onValue={(group) => change({ group })}
      />
      <Choice
        className="scope-choice"
        label={m.asking.fromDepartment}
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
        label={m.asking.language}
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
        {m.asking.includeExpired}
      </label>
      <button type="button" className="link" onClick={() => change(unfiltered(scope))}>
        {m.asking.clear}
      </button>
    </fieldset>
  );
}
