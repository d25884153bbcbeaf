// The fields of what is said of a document. One that overrules the file says what the file says,
// and can be given back.
import type { ReactNode } from "react";
import type { DocumentDetail } from "../../../api/types";
import { useStaffMessages } from "../../../i18n";
import { GROUPS, type Group } from "../../../state/scope";
import { DAYS, type Field, type Form, TEXTS } from "../../../state/staff/metadata";
import { Choice } from "../../shared/controls/Choice";

interface Props {
  form: Form;
  edits: DocumentDetail["edits"];
  onChange(part: Partial<Form>): void;
  onReset(field: Field): void;
}

export function MetadataFields({ form, edits, onChange, onReset }: Props) {
  const m = useStaffMessages();
  const note = (field: Field): ReactNode => <Edit {...{ edits, field, onReset }} />;
  return (
    <>
      {TEXTS.map((field) => (
        <div key={field} className="document-field">
          <label>
            {m.admin.fields[field]}
            <input
              value={form[field]}
              required={field === "title"}
              maxLength={field === "title" ? 300 : field === "version" ? 50 : 200}
              onChange={(event) => onChange({ [field]: event.target.value })}
            />
          </label>
          {note(field)}
        </div>
      ))}
      {DAYS.map((field) => (
        <div key={field} className="document-field">
          <label>
            {m.admin.fields[field]}
            <input type="date" value={form[field]} onChange={(event) => onChange({ [field]: event.target.value })} />
          </label>
          {note(field)}
        </div>
      ))}
      <div className="document-field">
        <Choice
          className="document-field"
          label={m.admin.fields.language}
          value={form.language}
          none={m.scope.unsaid}
          options={[["nl", m.scope.dutch] as const, ["en", m.scope.english] as const]}
          onValue={(language) => onChange({ language })}
        />
        {note("language")}
      </div>
      <Groups chosen={form.target_groups} onChange={(target_groups) => onChange({ target_groups })}>
        {note("target_groups")}
      </Groups>
    </>
  );
}

function Edit({ edits, field, onReset }: Pick<Props, "edits" | "onReset"> & { field: Field }) {
  const m = useStaffMessages();
  const edit = edits.find((one) => one.field === field);
  if (!edit) return null;
  return (
    <span className="document-edit">
      {m.admin.fileSays(edit.said || m.admin.empty)}{" "}
      <button type="button" className="link" onClick={() => onReset(field)}>
        {m.admin.reset}
      </button>
    </span>
  );
}

interface GroupsProps {
  chosen: readonly Group[];
  children: ReactNode;
  onChange(chosen: Group[]): void;
}

function Groups({ chosen, children, onChange }: GroupsProps) {
  const m = useStaffMessages();
  const toggle = (group: Group, on: boolean): void =>
    onChange(on ? [...chosen, group] : chosen.filter((one) => one !== group));
  return (
    <fieldset className="document-field document-groups">
      <legend>{m.admin.fields.target_groups}</legend>
      {GROUPS.map((group) => (
        <label key={group} className="scope-check">
          <input
            type="checkbox"
            checked={chosen.includes(group)}
            onChange={(event) => toggle(group, event.target.checked)}
          />
          {m.card.groups[group]}
        </label>
      ))}
      {children}
    </fieldset>
  );
}
