// Who asks, and which documents may answer: the reader's settings for the questions to come. Pure,
// but for keeping the first two.
import type { AskIn } from "../api/types";
import { recall, remember } from "../settings";

export const GROUPS = ["adult", "child", "neonate", "pregnancy"] as const;
export type Group = (typeof GROUPS)[number];

/** Empty strings: not said, not filtered. */
export interface Scope {
  function: string; // id of one of the service's functions
  department: string; // the asker's own: its documents come first
  group: Group | "";
  fromDepartment: string; // only its documents
  type: string;
  language: "nl" | "en" | "";
  includeExpired: boolean;
}

const EVERYTHING = { group: "", fromDepartment: "", type: "", language: "", includeExpired: false } as const;

export const UNSAID: Scope = { function: "", department: "", ...EVERYTHING };

/**
 * Who asks is kept on this device, of the last person who said it: a ward's computer is used by
 * many. Filters are not: a forgotten one would hide documents.
 */
export function firstScope(person: string): Scope {
  const [kept, own, department] = recall("asker")?.split("\n") ?? [];
  return kept === person ? { ...UNSAID, function: own ?? "", department: department ?? "" } : UNSAID;
}

export function keepAsker(person: string, scope: Scope): void {
  remember("asker", [person, scope.function, scope.department].join("\n"));
}

export const unfiltered = (scope: Scope): Scope => ({ ...scope, ...EVERYTHING });

export function isFiltered({ group, fromDepartment, type, language, includeExpired }: Scope): boolean {
  return Boolean(group || fromDepartment || type || language || includeExpired);
}

/** The part of a request that says it. */
export function asRequest(scope: Scope): Pick<AskIn, "function" | "department" | "filters"> {
  const only = <T extends string>(value: T | ""): T[] => (value === "" ? [] : [value]);
  return {
    function: scope.function || null,
    department: scope.department || null,
    filters: {
      departments: only(scope.fromDepartment),
      document_types: only(scope.type),
      target_groups: only(scope.group),
      languages: only(scope.language),
      document_ids: [],
      include_expired: scope.includeExpired,
    },
  };
}
