// What a quality officer says of one answer, until it is saved. Pure.
import type { Answer, Judgement, Source, Verdict } from "../../api/types";

export const VERDICTS = ["yes", "partly", "no"] as const;
export const LACKS = ["procedure", "passage", "detail", "patient", "document"] as const;

/** A source that held the answer: the page, and the words as they stand there (empty: not said). */
export interface Mark {
  rank: number;
  page: string; // as typed
  span: string;
}

export interface Draft {
  found: Verdict | null;
  noAnswer: boolean;
  marks: Mark[];
}

export type DraftEvent =
  | { type: "found"; verdict: Verdict }
  | { type: "none"; on: boolean }
  | { type: "mark"; source: Source; words: string; on: boolean }
  | { type: "edit"; rank: number; change: Partial<Mark> };

export const EMPTY: Draft = { found: null, noAnswer: false, marks: [] };

/** A document holds the answer or none does: saying one takes the other back. */
export function reduceDraft(draft: Draft, event: DraftEvent): Draft {
  switch (event.type) {
    case "found":
      return { ...draft, found: event.verdict };
    case "none":
      return { ...draft, noAnswer: event.on, marks: event.on ? [] : draft.marks };
    case "mark": {
      const others = draft.marks.filter((mark) => mark.rank !== event.source.rank);
      if (!event.on) return { ...draft, marks: others };
      const mark = { rank: event.source.rank, page: String(event.source.page), span: event.words };
      return { ...draft, noAnswer: false, marks: [...others, mark].sort((a, b) => a.rank - b.rank) };
    }
    case "edit":
      return {
        ...draft,
        marks: draft.marks.map((mark) => (mark.rank === event.rank ? { ...mark, ...event.change } : mark)),
      };
  }
}

export interface Asker {
  function: string;
  department: string;
}

/** As the service takes it; a page that is no number is left out. */
export function toSend(draft: Draft, answer: Answer, asker: Asker): Judgement {
  const marked = draft.marks.flatMap(({ rank, page, span }) => {
    const source = answer.sources.find((one) => one.rank === rank);
    const number = /^\d+$/.test(page.trim()) ? Number(page) : null;
    return source ? [{ document_id: source.document_id, page: number, span: span.trim() }] : [];
  });
  return { found: draft.found, no_answer: draft.noAnswer, marked, group: null, note: "", ...asker };
}

/** Whether it is said where the answer stands, or that it stands nowhere. */
export const isPlaced = (draft: Draft): boolean => draft.noAnswer || draft.marks.length > 0;

/** Whether there is anything to save; without a place or "none", the question is kept for later. */
export const saysSomething = (draft: Draft): boolean => draft.found !== null || isPlaced(draft);

/** The words of a source that the answer quotes: the likeliest place. */
export function quotedFrom(answer: Answer, rank: number): string {
  return answer.spans.find((span) => span.rank === rank)?.text.trim() ?? "";
}
