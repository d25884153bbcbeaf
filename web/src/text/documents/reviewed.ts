// Who found last that a document holds, in words.
import type { DocumentSummary } from "../../api/types";
import { dayOf, formatDay, type StaffMessages } from "../../i18n";

type Reviewed = Pick<DocumentSummary, "reviewed_at" | "reviewed_by" | "next_review" | "to_review_by" | "review_reason">;

export function reviewedWords(document: Reviewed, m: StaffMessages): string {
  const { reviewed_at, reviewed_by, next_review, to_review_by, review_reason } = document;
  if (!next_review) return "";
  const why = review_reason && `: “${review_reason}”`;
  const next = formatDay(next_review, m) + (to_review_by && m.find.reviewBy(to_review_by)) + why;
  return reviewed_at
    ? m.find.reviewed(formatDay(dayOf(new Date(reviewed_at)), m), reviewed_by, next)
    : m.find.reviewPlanned(next);
}

export const isReviewLate = ({ next_review }: Reviewed): boolean =>
  next_review ? next_review < dayOf(new Date()) : false;
