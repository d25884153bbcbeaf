// What quality staff ask of the service: judged sets and the gap report. Who may not gets "not_found", as for any other thing.
import { BASE, get, remove, sendJson } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Verdict = "yes" | "partly" | "no";

export type JudgedSets = Schemas["JudgedSetList"];
export type Judgement = Schemas["JudgeIn"];
export type Judged = Schemas["JudgedOut"];
export type JudgedSet = Schemas["JudgedSetDetail"];
export type QuestionIn = Schemas["QuestionIn"];
export type Imported = Schemas["ImportOut"];
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
const questionPath = (set: string, id: string): string =>
  `${setPath(set)}/questions/${id.split("/").map(encodeURIComponent).join("/")}`;
export const getJudgedSet = (set: string): Promise<JudgedSet> => get(setPath(set));
export const putQuestion = (set: string, id: string, body: QuestionIn): Promise<Judged> =>
  sendJson("PUT", questionPath(set, id), body);
export const deleteQuestion = (set: string, id: string): Promise<void> => remove(questionPath(set, id));
export const deleteSet = (set: string): Promise<void> => remove(setPath(set));
/** `check`: only say what would happen. */
export const importCsv = (set: string, csv: string, check: boolean): Promise<Imported> =>
  sendJson("POST", `${setPath(set)}/csv`, { csv, check });
export const csvUrl = (set: string): string => `${BASE}${setPath(set)}/csv`;

const query = (department: string | null): string =>
  department === null ? "" : `?department=${encodeURIComponent(department)}`;
export const getGaps = (department: string | null): Promise<GapReport> => get(`/gaps${query(department)}`);
export const gapsCsvUrl = (department: string | null): string => `${BASE}/gaps.csv${query(department)}`;
