// Values of the API's own types for the unit tests.
import type { Answer, Source, Span } from "../api/types";

export function source(rank: number, changes: Partial<Source> = {}): Source {
  return {
    rank,
    document: `document-${rank}.pdf`,
    document_id: `d${rank}`,
    title: `Document ${rank}`,
    page: rank,
    pages: [rank],
    version: "1",
    valid_from: null,
    valid_until: null,
    department: "",
    document_type: "",
    target_groups: [],
    owner: "",
    language: "nl",
    score: 0.5,
    dense_score: 0.5,
    bm25_score: 1,
    text: "",
    rects: [],
    text_from: "pdf",
    uncertain: false,
    cautions: [],
    ...changes,
  };
}

export function span(start: number, text: string, changes: Partial<Span> = {}): Span {
  const end = start + Array.from(text).length;
  const where = { document: "document-1.pdf", document_id: "d1", rank: 1, page: 1, rects: [] };
  return { start, end, text, ...where, part: 0, kind: "sentence", pieces: [], ...changes };
}

export function answer(changes: Partial<Answer> = {}): Answer {
  return {
    id: "a1",
    conversation_id: "c1",
    question: "dosis?",
    query: "dosis?",
    language: "nl",
    mode: "verbatim",
    status: "answered",
    answer: "",
    sources: [source(1), source(2)],
    spans: [],
    notices: [],
    model: "m",
    embedder: "e",
    prompt_version: "1",
    stats: {},
    created_at: "2026-01-01T00:00:00Z",
    unsupported: [],
    not_named: [],
    since: [],
    ...changes,
  };
}
