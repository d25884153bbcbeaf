// One answer, from the question to its end, as a reduced union. Pure: no clock, no network, no DOM.
import type { Waits } from "../../api/ask";
import type {
  Answer,
  AnswerStatus,
  Mode,
  Notice,
  Since,
  Source,
  Span,
  StreamEvent,
  Unsupported,
  Wrong,
} from "../../api/types";

/** What is known of an answer that is not (or never was) finished. */
export interface Draft {
  question: string;
  query: string; // what was searched for; the question itself unless it leaned on an earlier one
  answerId: string | null;
  sources: Source[];
  notices: Notice[];
  text: string;
  spans: Span[];
  status: AnswerStatus | null; // what will be made of it; null: not known yet
  language: string; // of the notices and the words; "": not known yet
}

export type StageName = "sending" | "retrieving" | "reading" | "writing";

/** A stage that has ended, and how long it took. */
export interface StageTime {
  name: StageName;
  milliseconds: number;
}

export type AnswerState =
  | {
      kind: "working";
      draft: Draft;
      askedAt: number;
      stage: StageName;
      stageAt: number;
      passages: number;
      past: StageTime[];
      silent: boolean; // nothing comes any more, and it is still waited for
      waitsUntil: number; // when it is asked again, as there was no place for it; 0: it did not wait
    }
  | { kind: "complete"; answer: Answer; milliseconds: number | null; given?: Answer } // `given`: as it was stored
  | { kind: "stopped"; draft: Draft }
  | { kind: "failed"; draft: Draft; code: string; refusal?: Refusal };

/**
 * Why nothing was done with a question: what in it identifies a patient, or how long to wait.
 * Nothing of it is stored.
 */
export interface Refusal {
  rows: readonly Wrong[];
  instead: string; // the question without it
  retryAfter: number; // seconds; 0: it may be asked at once
}

/** What happens to an answer: the server's events, and what happens on this side of the wire. */
export type AnswerEvent =
  | StreamEvent
  | { type: "stopped" }
  | { type: "silence"; silent: boolean }
  | Waits
  | { type: "broken"; code: string; refusal?: Refusal };

/**
 * An answer that has just been asked for. `at` is a clock in milliseconds, the same as the
 * reducer's.
 */
export function asked(question: string, at: number): AnswerState {
  const draft: Draft = {
    question,
    query: question,
    answerId: null,
    sources: [],
    notices: [],
    text: "",
    spans: [],
    status: null,
    language: "",
  };
  return {
    kind: "working",
    draft,
    askedAt: at,
    stage: "sending",
    stageAt: at,
    passages: 0,
    past: [],
    silent: false,
    waitsUntil: 0,
  };
}

/** An answer that was stored earlier. What no longer counts is not called valid. */
export function recalled(answer: Answer, milliseconds: number | null = null): AnswerState {
  const dated = (one: Source): Source => {
    const ended = answer.since.find(({ document_id }) => document_id === one.document_id);
    return ended ? { ...one, valid_from: null, valid_until: ended.expired_on ?? null } : one;
  };
  return { kind: "complete", answer: { ...answer, sources: answer.sources.map(dated) }, milliseconds, given: answer };
}

/** The same answer with what became of its documents while it stands there. */
export function toldSince(state: AnswerState, told: Readonly<Record<string, Since[]>>): AnswerState {
  if (state.kind !== "complete") return state;
  const { answer, milliseconds, given = answer } = state;
  const since = told[answer.id] ?? answer.since;
  return since.length + answer.since.length > 0 ? recalled({ ...given, since }, milliseconds) : state;
}

/** The answer after `event`. An answer that has ended stays as it is, whatever comes late. */
export function reduceAnswer(state: AnswerState, event: AnswerEvent, at: number): AnswerState {
  if (state.kind !== "working") return state;
  const { draft } = state;
  switch (event.type) {
    case "stage":
      return enter(state, event.data.name, event.data.passages ?? 0, at);
    case "nearest": {
      const { answer_id: answerId, sources } = event.data;
      return { ...state, draft: { ...draft, answerId, sources, query: event.data.query || draft.query } };
    }
    case "found": {
      const { answer_id: answerId, sources, notices, status, language } = event.data;
      const query = event.data.query || draft.query;
      return { ...state, draft: { ...draft, answerId, query, sources, notices, status, language } };
    }
    case "token":
      return { ...state, draft: { ...draft, text: draft.text + event.data.text } };
    case "cited":
      return { ...state, draft: { ...draft, spans: [...draft.spans, event.data.span] } };
    case "done":
      return { kind: "complete", answer: event.data.answer, milliseconds: at - state.askedAt };
    case "failed":
      return { kind: "failed", draft, code: event.data.code };
    case "broken":
      return { kind: "failed", draft, code: event.code, refusal: event.refusal };
    case "silence":
      return { ...state, silent: event.silent };
    case "waits":
      return { ...state, waitsUntil: at + event.seconds * 1000 };
    case "stopped":
      return { kind: "stopped", draft };
  }
}

type Working = Extract<AnswerState, { kind: "working" }>;

function enter(state: Working, stage: StageName, passages: number, at: number): Working {
  if (stage === state.stage) return { ...state, passages };
  const past = [...state.past, { name: state.stage, milliseconds: at - state.stageAt }];
  return { ...state, stage, stageAt: at, passages, past };
}

/** The same few things of any answer, however far it came. */
export interface AnswerView {
  question: string;
  query: string;
  text: string;
  sources: Source[];
  spans: Span[];
  notices: Notice[];
  since: Since[]; // what became of its documents
  mode: Mode | null;
  status: AnswerStatus | null;
  language: string;
  unsupported: Unsupported[] | null; // null: not checked, the answer never ended
}

export function view(state: AnswerState): AnswerView {
  if (state.kind !== "complete") return { ...state.draft, since: [], mode: null, unsupported: null };
  const { answer: text, ...whole } = state.answer;
  const { question, query, sources, spans, notices, since, mode, status, language, unsupported } = whole;
  return { question, query, text, sources, spans, notices, since, mode, status, language, unsupported };
}

/** Its sources are known, and are still read whether they answer. */
export const isRead = (state: AnswerState): boolean => state.kind === "working" && view(state).status === null;

/**
 * Nothing answers the question: its sources are only the nearest documents, and none is opened for
 * its reader, or marked as an answer.
 */
export const isRefused = (state: AnswerState): boolean => view(state).status === "not_found";

/** What it quotes counts, as far as is known: whoever acts at the bedside acts on nothing else. */
export const isInForce = ({ since, sources, spans }: AnswerView): boolean =>
  since.length === 0 &&
  !sources.some(
    ({ rank, cautions }) =>
      cautions.some(({ code }) => code === "expired" || code === "superseded") &&
      spans.some((span) => span.rank === rank),
  );

const HELD_UP = ["personal_data", "personal_data_refused", "too_busy", "too_many_requests"];

/** It was never asked: its reader is asked first, or it must wait. Asked again, it stands once. */
export const isHeldUp = (state: AnswerState): boolean => state.kind === "failed" && HELD_UP.includes(state.code);
