// What is said of one document, to be changed; which fields overrule the file; and who changed what.
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { getDocument } from "../../api/client";
import { type Change, describeDocument, getChanges } from "../../api/documents";
import type { DocumentDetail, MetadataIn } from "../../api/types";
import { formatMoment, useMessages } from "../../i18n";
import { changesOf, DAYS, type Field, type Form, formOf, TEXTS } from "../../state/metadata";
import { GROUPS } from "../../state/scope";

interface Props {
  id: string;
  onSaved(document: DocumentDetail): void;
}

export function DocumentForm({ id, onSaved }: Props) {
  const m = useMessages();
  const [document, setDocument] = useState<DocumentDetail | null>(null);
  const [form, setForm] = useState<Form | null>(null);
  const [changes, setChanges] = useState<Change[] | null>(null); // null: not an admin's to see
  const [said, setSaid] = useState("");
  const fail = useCallback(
    ({ code, message }: { code?: string; message?: string }): void =>
      setSaid(code === "conflict" ? (message ?? "") : (m.errors[code ?? ""] ?? m.errors.internal ?? "")),
    [m],
  );
  const take = useCallback((found: DocumentDetail): void => {
    setDocument(found);
    setForm(formOf(found));
  }, []);
  const loadChanges = useCallback(() => {
    getChanges(id).then(
      (found) => setChanges(found.changes),
      () => setChanges(null),
    );
  }, [id]);
  useEffect(() => {
    getDocument(id).then(take, fail);
    loadChanges();
  }, [id, take, fail, loadChanges]);
  if (!document || !form) return <p className="muted">{said || m.viewer.loading}</p>;

  const send = (body: MetadataIn): void => {
    setSaid(m.admin.saving);
    describeDocument(id, body).then((found) => {
      take(found);
      onSaved(found);
      loadChanges();
      setSaid(found.vectors === "outdated" ? m.admin.savedOutdated : m.admin.saved);
    }, fail);
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const body = changesOf(document, form);
    if (body) send(body);
    else setSaid(m.admin.nothing);
  };
  const set = (part: Partial<Form>): void => setForm({ ...form, ...part });
  const toggle = (group: (typeof GROUPS)[number], on: boolean): void =>
    set({ target_groups: on ? [...form.target_groups, group] : form.target_groups.filter((one) => one !== group) });
  const edits = new Map(document.edits.map((edit) => [edit.field, edit.said]));
  const note = (field: Field) =>
    edits.has(field) && (
      <span className="document-edit">
        {m.admin.fileSays(edits.get(field) || m.admin.empty)}{" "}
        <button type="button" className="link" onClick={() => send({ reset: [field] })}>
          {m.admin.reset}
        </button>
      </span>
    );
  return (
    <form className="document-form" onSubmit={save}>
      <fieldset disabled={changes === null}>
        <legend className="sr-only">{document.title}</legend>
        {TEXTS.map((field) => (
          <div key={field} className="document-field">
            <label>
              {m.admin.fields[field]}
              <input
                value={form[field]}
                required={field === "title"}
                maxLength={field === "title" ? 300 : field === "version" ? 50 : 200}
                onChange={(event) => set({ [field]: event.target.value })}
              />
            </label>
            {note(field)}
          </div>
        ))}
        {DAYS.map((field) => (
          <div key={field} className="document-field">
            <label>
              {m.admin.fields[field]}
              <input type="date" value={form[field]} onChange={(event) => set({ [field]: event.target.value })} />
            </label>
            {note(field)}
          </div>
        ))}
        <div className="document-field">
          <label>
            {m.admin.fields.language}
            <select value={form.language} onChange={(event) => set({ language: event.target.value })}>
              <option value="">{m.scope.unsaid}</option>
              <option value="nl">{m.scope.dutch}</option>
              <option value="en">{m.scope.english}</option>
            </select>
          </label>
          {note("language")}
        </div>
        <fieldset className="document-field document-groups">
          <legend>{m.admin.fields.target_groups}</legend>
          {GROUPS.map((group) => (
            <label key={group} className="scope-check">
              <input
                type="checkbox"
                checked={form.target_groups.includes(group)}
                onChange={(event) => toggle(group, event.target.checked)}
              />
              {m.card.groups[group]}
            </label>
          ))}
          {note("target_groups")}
        </fieldset>
      </fieldset>
      {changes === null ? (
        <p className="muted">{m.admin.adminsOnly}</p>
      ) : (
        <button type="submit" className="button primary">
          {m.admin.save}
        </button>
      )}
      <p className="document-said" role="status">
        {said}
      </p>
      {changes && changes.length > 0 && <History changes={changes} />}
    </form>
  );
}

function History({ changes }: { changes: readonly Change[] }) {
  const m = useMessages();
  return (
    <details className="document-history">
      <summary className="link">{m.admin.history(changes.length)}</summary>
      <ul>
        {changes.map((change) => (
          <li key={change.changed_at + change.field}>
            {formatMoment(change.changed_at, m)}, {change.user_id}:{" "}
            {m.admin.fields[change.field as Field] ?? change.field}{" "}
            {m.admin.fromTo(change.before || m.admin.empty, change.after || m.admin.empty)}
          </li>
        ))}
      </ul>
    </details>
  );
}
