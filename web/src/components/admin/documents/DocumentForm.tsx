// What is said of one document, to be changed; which fields overrule the file; and who changed
// what.
import { type FormEvent, useState } from "react";
import type { Change, DocumentDetail, MetadataIn } from "../../../api/types";
import { failureWords, formatDay, formatMoment, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useRoles } from "../../../queries/session";
import { useChanges, useDescribe, useDocumentDetail } from "../../../queries/staff/documents";
import { changesOf, type Field, type Form, formOf } from "../../../state/staff/metadata";
import { mayLoad, rolesOf } from "../../../state/window/route";
import { changeFailure } from "../../../text/documents/changeFailure";
import { OwnerReached } from "../owners/OwnerReached";
import { Cut } from "./Cut";
import { LeftOut } from "./LeftOut";
import { MetadataFields } from "./MetadataFields";

export function DocumentForm({ id }: { id: string }) {
  const m = useStaffMessages();
  const { data: document, error } = useDocumentDetail(id);
  if (document) return <Description document={document} />;
  return <p className="muted">{error ? failureWords(error.code, m) : m.viewer.loading}</p>;
}

function Description({ document }: { document: DocumentDetail }) {
  const m = useStaffMessages();
  const [form, setForm] = useState<Form>(() => formOf(document));
  const [said, setSaid] = useState("");
  const roles = useRoles();
  const admin = mayLoad(roles);
  const changes = useChanges(document.id, admin);
  const describe = useDescribe(document.id);
  const send = (body: MetadataIn): void => {
    setSaid(m.admin.saving);
    describe.mutate(body, {
      onSuccess: (described) => {
        setForm(formOf(described));
        setSaid(described.vectors === "outdated" ? m.admin.savedOutdated : m.admin.saved);
      },
      onError: ({ code, message }) => setSaid(code === "conflict" ? message : changeFailure(code, m)),
    });
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const body = changesOf(document, form);
    if (body) send(body);
    else setSaid(m.admin.nothing);
  };
  return (
    <form className="document-form" onSubmit={save}>
      {!admin && (
        <p className="muted">
          {m.admin.adminsOnly} {roles.some((role) => rolesOf("reviews").includes(role)) && m.admin.planBelow}
        </p>
      )}
      <fieldset disabled={!admin}>
        <legend className="sr-only">{document.title}</legend>
        <MetadataFields
          form={form}
          edits={document.edits}
          onChange={(part) => setForm({ ...form, ...part })}
          onReset={(field) => send({ reset: [field] })}
        />
      </fieldset>
      {admin && (
        <button type="submit" className="button primary">
          {m.admin.save}
        </button>
      )}
      <p className="document-said" role="status">
        {said}
      </p>
      {admin && <OwnerReached name={document.owner} />}
      <Cut document={document} />
      <LeftOut id={document.id} notes={document.notes} />
      {changes.data && changes.data.changes.length > 0 && <History changes={changes.data.changes} />}
    </form>
  );
}

function History({ changes }: { changes: readonly Change[] }) {
  const m = useStaffMessages();
  return (
    <details className="document-history">
      <summary className="link">{m.admin.history(changes.length)}</summary>
      <ul>
        {changes.map((change) => (
          <li key={change.changed_at + change.field}>
            {formatMoment(change.changed_at, m)}, {change.user_name}: {changeWords(change, m)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function changeWords({ field, before, after }: Change, m: StaffMessages): string {
  if (field === "withdrawn") return m.admin.wasWithdrawn(after);
  if (field === "withdrawal_reason") return m.admin.otherReason(after);
  if (field === "reviewer") return m.find.reviewGiven(after);
  if (field === "review_reason") return m.find.reviewReason(after);
  if (field === "next_review" && after) return m.admin.wasReviewed(formatDay(after, m));
  if (field === "planned_review") return after ? m.find.reviewPlanned(formatDay(after, m)) : m.find.reviewNoMore;
  return `${fieldName(field, m)} ${m.admin.fromTo(before || m.admin.empty, after || m.admin.empty)}`;
}

const isField = (name: string, fields: Record<Field, string>): name is Field => name in fields;
const fieldName = (name: string, { admin: { fields } }: StaffMessages): string =>
  isField(name, fields) ? fields[name] : name;
