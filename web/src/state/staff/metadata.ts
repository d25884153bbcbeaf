// What an admin says of a document: a form's texts, and the request that changes only what is
// different. Pure.
import type { DocumentDetail, MetadataIn } from "../../api/types";
import { known } from "../../text/known";
import type { Group } from "../scope";

export const TEXTS = ["title", "department", "document_type", "version", "owner", "supersedes"] as const;
export const DAYS = ["valid_from", "valid_until"] as const;
export const LANGUAGES = ["nl", "en"] as const;
export type Field = (typeof TEXTS)[number] | (typeof DAYS)[number] | "language" | "target_groups";

export interface Form extends Record<(typeof TEXTS)[number] | (typeof DAYS)[number], string> {
  language: (typeof LANGUAGES)[number] | "";
  target_groups: Group[];
}

export function formOf(document: DocumentDetail): Form {
  const { title, department, document_type, version, owner, supersedes, target_groups } = document;
  return {
    ...{ title, department, document_type, version, owner, supersedes, target_groups },
    language: known(LANGUAGES, document.language) ?? "",
    valid_from: document.valid_from ?? "",
    valid_until: document.valid_until ?? "",
  };
}

/** Only what differs; null when nothing does. */
export function changesOf(document: DocumentDetail, form: Form): MetadataIn | null {
  const before = formOf(document);
  const changes: Partial<MetadataIn> = {};
  for (const field of TEXTS) if (form[field].trim() !== before[field]) changes[field] = form[field].trim();
  for (const field of DAYS) if (form[field] !== before[field]) changes[field] = form[field] || null;
  if (form.language !== before.language) changes.language = form.language;
  if ([...form.target_groups].sort().join() !== [...before.target_groups].sort().join())
    changes.target_groups = form.target_groups;
  return Object.keys(changes).length > 0 ? { ...changes, reset: [] } : null;
}

/** Checked when a document was loaded: what it is called, whose it is, how long it counts. */
export const CHECKED = ["title", "owner", "department", "version", "valid_from", "valid_until"] as const;
export type Doubt = "missing" | "file_name" | "unseen";

/** What documents name. */
export interface Named {
  owner: readonly string[];
  department: readonly string[];
}

const MAY_LACK = "valid_from"; // from whenever
export const folded = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();

/** What was hardly read right; nothing that an admin said. `named`: by the other documents. */
export function doubtsOf(document: DocumentDetail, named: Named): Partial<Record<(typeof CHECKED)[number], Doubt>> {
  const doubts: Partial<Record<(typeof CHECKED)[number], Doubt>> = {};
  const form = formOf(document);
  const said = new Set(document.edits.map(({ field }) => field));
  for (const field of CHECKED) {
    if (said.has(field)) continue;
    if (form[field] === "" && field !== MAY_LACK) doubts[field] = "missing";
  }
  for (const field of ["owner", "department"] as const) {
    const others = named[field].map(folded);
    if (form[field] && others.length > 0 && !others.includes(folded(form[field])) && !said.has(field))
      doubts[field] = "unseen";
  }
  if (!said.has("title") && folded(form.title) === folded(document.source.replace(/\.[^.]*$/, "")))
    doubts.title = "file_name";
  return doubts;
}
