// Which groups somebody is in by hand: each can be taken away, another is typed. What is typed and not added counts all the same.
// Who may not change them sees them.
import { type KeyboardEvent, useId } from "react";
import { useStaffMessages } from "../../../i18n";
import { useRoles } from "../../../queries/session";
import { allGroups, type Given, isGroup, mayChangeMemberships } from "../../../state/staff/account";

interface Props {
  given: Given;
  known: readonly string[]; // to choose from
  claimed?: readonly string[]; // in which they are besides
  onChange(given: Given): void;
}

export function GroupFields({ given, known, claimed = [], onChange }: Props) {
  const m = useStaffMessages();
  const may = mayChangeMemberships(useRoles());
  const [list, help] = [useId(), useId()];
  const { groups, typed } = given;
  const wrong = typed.trim() !== "" && !isGroup(typed);
  const add = (): void => {
    if (isGroup(typed)) onChange({ ...given, groups: allGroups(given), typed: "" });
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || typed.trim() === "") return;
    event.preventDefault(); // adds the group, and does not send the form
    add();
  };
  return (
    <fieldset className="checks">
      <legend>{m.accounts.groupsLabel}</legend>
      {groups.length > 0 && (
        <ul className="chips">
          {groups.map((group) => (
            <li key={group}>
              {group}
              {may && (
                <button
                  type="button"
                  className="quiet icon"
                  aria-label={m.accounts.removeGroup(group)}
                  onClick={() => onChange({ ...given, groups: groups.filter((other) => other !== group) })}
                >
                  ×
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {may ? (
        <>
          <span className="with-button">
            <input
              aria-label={m.accounts.addGroup}
              aria-describedby={help}
              aria-invalid={wrong || undefined}
              list={list}
              maxLength={100}
              placeholder={m.accounts.addGroup}
              value={typed}
              onChange={(event) => onChange({ ...given, typed: event.target.value })}
              onKeyDown={keyDown}
            />
            <button type="button" className="button" disabled={!isGroup(typed)} onClick={add}>
              {m.accounts.add}
            </button>
          </span>
          <datalist id={list}>
            {known
              .filter((group) => !groups.includes(group))
              .map((group) => (
                <option key={group} value={group} />
              ))}
          </datalist>
          <p className={wrong ? "field-help wrong" : "field-help"} id={help}>
            {wrong ? m.accounts.badGroup : m.accounts.groupsHelp}
          </p>
        </>
      ) : (
        <p className="field-help">{m.accounts.groupsNotYours}</p>
      )}
      {claimed.length > 0 && <p className="field-help">{m.accounts.claimed(claimed.join(", "))}</p>}
    </fieldset>
  );
}
