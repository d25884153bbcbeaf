// The documents that are listed, all of them, as a table for a spreadsheet.
import { useState } from "react";
import { asApiError } from "../../../api/errors";
import type { DocumentSummary } from "../../../api/types";
import { type StaffMessages, useStaffMessages } from "../../../i18n";
import { download } from "../../../state/window/download";
import { csvOf } from "../../../text/csv";
import { Problem } from "../controls/Problem";

export function SaveList({ everything }: { everything(): Promise<readonly DocumentSummary[]> }) {
  const m = useStaffMessages();
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  const save = async (): Promise<void> => {
    setSaving(true);
    setFailure(undefined);
    await everything()
      .then((all) => download("bedside-documents.csv", csvOf(rowsOf(all, m)), "text/csv"))
      .catch((error: unknown) => setFailure(asApiError(error).code));
    setSaving(false);
  };
  return (
    <>
      <button type="button" className="link" disabled={saving} onClick={() => void save()}>
        {saving ? m.viewer.loading : m.find.table}
      </button>
      <Problem code={failure} />
    </>
  );
}

/** Days as 2026-01-31, which every spreadsheet takes for one. */
function rowsOf(documents: readonly DocumentSummary[], m: StaffMessages): string[][] {
  const names = m.admin.fields;
  const said = [names.title, m.find.file, names.version, names.department, names.document_type, names.owner];
  const head = [...said, names.valid_from, names.valid_until, m.find.nextReview, m.find.replacedBy];
  return [head, ...documents.map((one) => rowOf(one, m))];
}

function rowOf(one: DocumentSummary, m: StaffMessages): string[] {
  const type = m.scope.types[one.document_type] ?? one.document_type;
  const said = [one.title, one.source, one.version, one.department, type, one.owner];
  return [...said, one.valid_from ?? "", one.valid_until ?? "", one.next_review ?? "", one.replaced_by?.title ?? ""];
}
