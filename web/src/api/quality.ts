// What quality staff ask of the service: judged sets and the gap report. Who may not gets "not_found", as for any other thing.
import { BASE, get, sendJson } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Verdict = "yes" | "partly" | "no";

export type JudgedSets = Schemas["JudgedSetList"];
export type Judgement = Schemas["JudgeIn"];
export type Judged = Schemas["JudgedOut"];
export type GapReport = Schemas["GapReport"];
export type Gap = Schemas["GapOut"];

const setPath = (name: string): string => `/judged/${encodeURIComponent(name)}`;

export const getJudgedSets = (): Promise<JudgedSets> => get("/judged");
export const judge = (set: string, answerId: string, body: Judgement): Promise<Judged> =>
  sendJson("PUT", `${setPath(set)}/answers/${encodeURIComponent(answerId)}`, body);
/** A verdict, or a document that held the answer. */
export const giveFeedback = (
  answerId: string,
  body: { found: Verdict } | { document_id: string; page: number },
): Promise<unknown> => sendJson("POST", `/answers/${encodeURIComponent(answerId)}/feedback`, body);
export const csvUrl = (set: string): string => `${BASE}${setPath(set)}/csv`;

const query = (department: string | null): string =>
  department === null ? "" : `?department=${encodeURIComponent(department)}`;
export const getGaps = (department: string | null): Promise<GapReport> => get(`/gaps${query(department)}`);
export const gapsCsvUrl = (department: string | null): string => `${BASE}/gaps.csv${query(department)}`;
