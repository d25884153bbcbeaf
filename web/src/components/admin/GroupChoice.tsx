// Groups that are chosen: each can be taken away, another is pressed among those that are known, or
// typed. What is typed and not added counts all the same.
import { type KeyboardEvent, useId } from "react";
import { useStaffMessages } from "../../i18n";
import { useGroups } from "../../queries/staff/accounts";
import { allGroups, type Chosen, EVERYONE, isGroup, withoutGroup } from "../../state/staff/account";

interface Props {
  chosen: Chosen;
  help: string;
  onChange: ((chosen: Chosen) => void) | undefined; // undefined: they are only shown
}

export function GroupChoice({ chosen, help, onChange }: Props) {
  const m = useStaffMessages();
  const { data: known = [] } = useGroups(onChange !== undefined); // without it every name can be typed
  const helpId = useId();
  const { groups, typed } = chosen;
  const wrong = typed.trim() !== "" && !isGroup(typed);
  const add = (): void => {
    if (isGroup(typed)) onChange?.({ groups: allGroups(chosen), typed: "" });
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || typed.trim() === "") return;
    event.preventDefault(); // adds the group, and does not send the form
    add();
  };
  return (
    <>
      {groups.length > 0 && (
        <ul className="chips">
          {groups.map((group) => (
            <li key={group}>
              {m.accounts.groupName(group)}
              {onChange && (
                <button
                  type="button"
                  className="quiet icon"
                  aria-label={m.accounts.removeGroup(m.accounts.groupName(group))}
                  onClick={() => onChange(withoutGroup(chosen, group))}
                >
                  ×
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {onChange && (
        <>
          <span className="with-button">
            <input
              aria-label={m.accounts.addGroup}
              aria-describedby={helpId}
              aria-invalid={wrong || undefined}
              maxLength={100}
              placeholder={m.accounts.addGroup}
              value={typed}
              onChange={({ target: { value } }) => {
                const known = value === m.accounts.groupName(EVERYONE);
                onChange({ groups, typed: known ? EVERYONE : value });
              }}
              onKeyDown={keyDown}
            />
            <button type="button" className="button" disabled={!isGroup(typed)} onClick={add}>
              {m.accounts.add}
            </button>
          </span>
          <Known
            known={known.filter(({ name }) => !groups.includes(name) && holds(m.accounts.groupName(name), typed))}
            onAdd={(name) => onChange({ groups: [...groups, name], typed: "" })}
          />
        </>
      )}
      <p className={wrong ? "field-help wrong" : "field-help"} id={helpId}>
        {wrong ? m.accounts.badGroup : help}
      </p>
    </>
  );
}

const holds = (name: string, typed: string): boolean => name.toLowerCase().includes(typed.trim().toLowerCase());
const MOST = 12; // that are offered at once

interface KnownProps {
  known: readonly { name: string; readers: number }[];
  onAdd(name: string): void;
}

/** Those that exist and fit what is typed, the first of them. */
function Known({ known, onAdd }: KnownProps) {
  const m = useStaffMessages();
  if (known.length === 0) return null;
  return (
    <div className="known-groups">
      <p className="field-help">{m.accounts.knownGroups(known.length - MOST)}</p>
      <ul>
        {known.slice(0, MOST).map(({ name, readers }) => (
          <li key={name}>
            <button type="button" className="button" onClick={() => onAdd(name)}>
              {m.accounts.groupName(name)} <span className="muted">({m.accounts.readers(readers)})</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
