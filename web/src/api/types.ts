// Short names for the generated types, and the events of an answer's stream as one union.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Answer = Schemas["AnswerOut"];
export type Source = Schemas["SourceOut"];
export type Span = Schemas["SpanOut"];
export type Notice = Schemas["NoticeOut"];
export type PageRects = Schemas["PageRectsOut"];
export type FoundEvent = Schemas["FoundEvent"];
export type Rect = Schemas["RectOut"];
export type Unsupported = Schemas["UnsupportedOut"];
export type Facets = Schemas["FacetsOut"];
export type Mode = Schemas["Mode"];
export type AskIn = Schemas["AskIn"];
export type Health = Schemas["Health"];
export type Problem = Schemas["Problem"];
export type DocumentList = Schemas["DocumentList"];
export type DocumentSummary = Schemas["DocumentOut"];
export type DocumentDetail = Schemas["DocumentDetail"];
export type MetadataIn = Schemas["MetadataIn"];
export type ConversationList = Schemas["ConversationList"];
export type ConversationDetail = Schemas["ConversationDetail"];

/** What the server sends while it answers, in this order: stage*, found, (token | cited)*, then done or failed. */
export type StreamEvent =
  | { type: "stage"; data: Schemas["StageEvent"] }
  | { type: "found"; data: FoundEvent }
  | { type: "token"; data: Schemas["TokenEvent"] }
  | { type: "cited"; data: Schemas["CitedEvent"] }
  | { type: "done"; data: Schemas["DoneEvent"] }
  | { type: "failed"; data: Schemas["FailedEvent"] };
