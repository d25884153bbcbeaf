// Short names for the generated types, and the events of an answer's stream as one union.
import type { components, paths } from "./schema";

type Schemas = components["schemas"];

export type Answer = Schemas["AnswerOut"];
export type Source = Schemas["SourceOut"];
export type Span = Schemas["SpanOut"];
export type Since = Schemas["SinceOut"];
export type Piece = Schemas["PieceOut"];
export type Notice = Schemas["NoticeOut"];
export type PageRects = Schemas["PageRectsOut"];
export type FoundEvent = Schemas["FoundEvent"];
export type Rect = Schemas["RectOut"];
export type Unsupported = Schemas["UnsupportedOut"];
export type Mode = Schemas["Mode"];
export type AnswerStatus = Schemas["AnswerStatus"];
export type TargetGroup = Schemas["TargetGroup"];
export type Wrong = Schemas["WrongOut"];
export type AskIn = Schemas["AskIn"];
export type PersonalChoice = Schemas["PersonalChoice"];
export type Facets = Schemas["FacetsOut"];
export type Health = Schemas["Health"];
export type DocumentList = Schemas["DocumentList"];
export type DocumentSummary = Schemas["DocumentOut"];
export type LinkedPlace = Schemas["LinkedOut"];
export type Validity = NonNullable<NonNullable<paths["/documents"]["get"]["parameters"]["query"]>["validity"]>;
export type DocumentDetail = Schemas["DocumentDetail"];
export type MetadataIn = Schemas["MetadataIn"];
export type ConversationSummary = Schemas["ConversationOut"];
export type ConversationIn = Schemas["ConversationIn"];
export type ConversationDetail = Schemas["ConversationDetail"];

export type Verdict = "yes" | "partly" | "no";
export type JudgedSets = Schemas["JudgedSetList"];
export type Judgement = Schemas["JudgeIn"];
export type Judged = Schemas["JudgedOut"];
export type JudgedSet = Schemas["JudgedSetDetail"];
export type QuestionIn = Schemas["QuestionIn"];
export type Imported = Schemas["ImportOut"];
export type FeedbackIn = Schemas["FeedbackIn"];
export type Reported = NonNullable<Schemas["FeedbackOut"]["reported"]>;
export type Gap = Schemas["GapOut"];
export type GapReport = Schemas["GapReport"];
export type ReviewList = Schemas["ReviewList"];
export type Reviewed = Schemas["ReviewedOut"];
export type ReviewIn = Schemas["ReviewIn"];
export type ReviewVerdict = ReviewIn["verdict"];
export type UsageWeek = Schemas["WeekOut"];
export type PeriodReport = Schemas["ReportOut"];
export type Risk = Schemas["RiskOut"];
export type RiskName = Schemas["RiskOffered"]["name"];
export type Loaded = Schemas["IngestItem"];
export type Ingestion = Schemas["IngestionOut"];
export type NoteOut = Schemas["NoteOut"];
export type Change = Schemas["ChangeOut"];
export type Access = Schemas["AccessOut"];
export type Group = Schemas["GroupOut"];

export type OwnerQuestion = Schemas["OwnerQuestionOut"];
export type OwnerQuestionIn = Schemas["OwnerQuestionIn"];
export type DocumentReviewIn = Schemas["DocumentReviewIn"];
export type PassedOn = Schemas["PassedOnIn"];
export type OwnerNews = Schemas["OwnerNews"];
export type OwnerWork = Schemas["OwnerWork"];
export type OwnerReply = Schemas["ReplyIn"];
export type Owner = Schemas["OwnerOut"];
export type OwnerIn = Schemas["OwnerIn"];
export type Account = Schemas["AccountOut"];
export type AccountIn = Schemas["AccountIn"];
export type NewAccount = Schemas["NewAccountIn"];
export type Why = Schemas["WhyOut"];
export type Scope = Schemas["Scope"];
export type Key = Schemas["KeyOut"];
export type KeyIn = Schemas["KeyIn"];
export type NewKey = Schemas["NewKeyOut"];
export type Webhook = Schemas["WebhookOut"];
export type WebhookIn = Schemas["WebhookIn"];
export type NewWebhook = Schemas["NewWebhookOut"];
export type Delivery = Schemas["DeliveryOut"];
export type Entry = Schemas["EntryOut"];
export type Verified = Schemas["VerifiedOut"];
export type Result = Schemas["Result"];

/**
 * What the server sends while it answers, in this order: stage*, nearest at most once, stage*,
 * found, (token | cited)*, then done or failed.
 */
export interface StreamEvents {
  stage: Schemas["StageEvent"];
  nearest: Schemas["NearestEvent"];
  found: FoundEvent;
  token: Schemas["TokenEvent"];
  cited: Schemas["CitedEvent"];
  done: Schemas["DoneEvent"];
  failed: Schemas["FailedEvent"];
}

export const STREAM_EVENTS = ["stage", "nearest", "found", "token", "cited", "done", "failed"] as const;
export type StreamEvent = {
  [Name in keyof StreamEvents]: { type: Name; data: StreamEvents[Name] };
}[keyof StreamEvents];
