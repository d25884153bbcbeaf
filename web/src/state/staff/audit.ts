// What an auditor asks of the trail, as a form and as a request. Pure.
import type { Entry, Result } from "../../api/types";
import { dayOf } from "../../i18n";
import type { TrailQuery } from "../../queries/staff/audit";

export const RESULTS = ["begun", "success", "refused", "failed", "stopped"] as const satisfies readonly Result[];

export const USES = ["quoted", "shown", "refused"] as const;
export type Use = (typeof USES)[number];

/** Empty: all. Days as the reader's calendar has them, "2026-01-31". */
export interface Asked {
  user: string;
  actions: readonly string[]; // any of these
  document: string;
  request: string;
  result: Result | "";
  use: Use | "";
  from: string;
  to: string;
}

export const EVERYTHING: Asked = {
  user: "",
  actions: [],
  document: "",
  request: "",
  result: "",
  use: "",
  from: "",
  to: "",
};

export const isBackwards = ({ from, to }: Asked): boolean => from !== "" && to !== "" && to < from;

/** The last day is meant whole, by the reader's clock. */
export function queryOf({ user, actions, document, request, result, use, from, to }: Asked): TrailQuery {
  const words = { user, document, request };
  const said = Object.entries(words).filter(([, value]) => value.trim() !== "");
  return {
    ...Object.fromEntries(said.map(([name, value]) => [name, value.trim()])),
    ...(actions.length === 0 ? {} : { action: [...actions] }),
    ...(result === "" ? {} : { result }),
    ...(use === "" ? {} : { use }),
    ...(from === "" ? {} : { since: midnight(from, 0) }),
    ...(to === "" ? {} : { until: midnight(to, 1) }),
  };
}

function midnight(day: string, plus: number): string {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + plus); // not 24 hours: summer time begins and ends
  return at.toISOString();
}

/** The table's name: it says its period, where none was asked for that of its entries. */
export function fileOf({ from, to }: Asked, entries: readonly Entry[]): string {
  const days = entries.map(({ at }) => dayOf(new Date(at)));
  return ["bedside-audit", from || days[0], to || days.at(-1)].filter(Boolean).join("_").concat(".csv");
}

/** One for each act: what was begun goes where what came of it is among them. */
export function actsOf(entries: readonly Entry[]): Entry[] {
  const ended = new Set(entries.filter(({ result }) => result !== "begun").map(({ request }) => request));
  return entries.filter(({ result, request }) => result !== "begun" || !ended.has(request));
}

export interface NamedDocument {
  id: string;
  source: string;
  version: string;
  pages: string;
  passages: number;
  use: Use | undefined; // that an answer made of it
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The documents that an entry names, as far as it says. */
export const documentsOf = ({ on }: Entry): NamedDocument[] =>
  listOf(on.documents)
    .filter(isRecord)
    .map(({ id, source, version, pages, passages, use }) => ({
      id: textOf(id),
      source: textOf(source),
      version: textOf(version),
      pages: listOf(pages).join(", "),
      passages: listOf(passages).length,
      use: USES.find((one) => one === use),
    }));

/** Their file names, each once, by what an answer made of them. */
export const namesByUse = (entry: Entry): [Use | undefined, string[]][] =>
  [...USES, undefined]
    .map((use): [Use | undefined, string[]] => {
      const these = documentsOf(entry).filter((one) => one.use === use);
      return [use, [...new Set(these.map(({ source }) => source))].filter(Boolean)];
    })
    .filter(([, names]) => names.length > 0);

type Truth = (is: boolean) => string;

/** What else it was about, in plain lines. `truth`: in words. */
export const othersOf = ({ on }: Entry, truth: Truth): [string, string][] =>
  Object.entries(on)
    .filter(([name]) => name !== "documents")
    .map(([name, value]) => [name.replaceAll("_", " "), plain(value, truth)]);

function plain(value: unknown, truth: Truth): string {
  if (Array.isArray(value)) return value.map((one) => plain(one, truth)).join("; ");
  if (isRecord(value))
    return Object.entries(value)
      .map(([name, part]) => `${name.replaceAll("_", " ")} ${plain(part, truth)}`)
      .join(", ");
  if (typeof value === "boolean") return truth(value);
  return value === null ? "–" : String(value);
}
