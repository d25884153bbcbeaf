// The trail's entries in words: for a line on the screen, and as a table for a spreadsheet.
import type { Entry } from "../../api/types";
import type { StaffMessages } from "../../i18n";
import { documentsOf, type NamedDocument, othersOf } from "../../state/staff/audit";

/** A refusal is no answer: the trail says so. */
export const actionWords = ({ action, on }: Entry, m: StaffMessages): string =>
  on.status === "not_found" ? m.audit.refusal : (m.audit.actions[action] ?? action);

export function whoWords({ who, erased }: Entry, m: StaffMessages): string {
  if (erased.includes("who")) return m.audit.erasedWho;
  return who?.name || who?.user || m.audit.nobody;
}

/** Of the same name there may be two: by what they sign in tells them apart. */
export function concernedWords({ about, erased }: Entry, m: StaffMessages): string {
  if (erased.includes("about")) return m.audit.erasedWho;
  if (!about?.account) return "";
  return about.name ? `${about.name} (${about.login || about.account})` : about.account;
}

export const documentWords = ({ id, source, version, pages, passages, use }: NamedDocument, m: StaffMessages): string =>
  [
    source || id,
    use && m.audit.uses[use],
    version && m.audit.version(version),
    pages && m.audit.pages(pages),
    passages > 0 && m.audit.passages(passages),
  ]
    .filter(Boolean)
    .join(", ");

/** Without questions, addresses and hashes: a table is passed on. */
export function tableOf(entries: readonly Entry[], m: StaffMessages): string[][] {
  const names = m.audit.fields;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const head = [names.sequence, `${names.at} (${zone})`, m.audit.user, names.user, names.action, m.audit.result];
  const beside = [names.account, names.reason, names.documents, names.on, names.origin];
  return [[...head, ...beside], ...entries.map((entry) => rowOf(entry, m))];
}

function rowOf(entry: Entry, m: StaffMessages): string[] {
  const { sequence, at, who, about, result, origin } = entry;
  return [
    String(sequence),
    new Date(at).toLocaleString("sv-SE"), // 2026-01-31 12:00:00, which every spreadsheet takes for a time
    whoWords(entry, m),
    who?.login || who?.user || "",
    actionWords(entry, m),
    m.audit.results[result],
    concernedWords(entry, m),
    about?.reason ?? "",
    documentsOf(entry)
      .map((document) => documentWords(document, m))
      .join("; "),
    othersOf(entry, m.audit.truth)
      .map(([name, value]) => `${m.audit.about[name] ?? name}: ${value}`)
      .join("; "),
    m.audit.origins[origin] ?? origin,
  ];
}
