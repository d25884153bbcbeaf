// Groups that are chosen: each can be taken away, another is chosen from those that are known, or
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
  const [list, helpId] = [useId(), useId()];
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
              list={list}
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
          <datalist id={list}>
            {known
              .filter(({ name }) => !groups.includes(name))
              .map(({ name, readers }) => (
                <option
                  key={name}
                  value={name}
                  label={`${m.accounts.groupName(name)} (${m.accounts.readers(readers)})`}
                />
              ))}
          </datalist>
        </>
      )}
      <p className={wrong ? "field-help wrong" : "field-help"} id={helpId}>
        {wrong ? m.accounts.badGroup : help}
      </p>
    </>
  );
}
