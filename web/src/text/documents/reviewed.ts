// Who found last that a document holds, in words.
import type { DocumentSummary } from "../../api/types";
import { dayOf, formatDay, type StaffMessages } from "../../i18n";

type Reviewed = Pick<DocumentSummary, "reviewed_at" | "reviewed_by" | "next_review">;

export function reviewedWords({ reviewed_at, reviewed_by, next_review }: Reviewed, m: StaffMessages): string {
  if (!next_review) return "";
  if (!reviewed_at) return m.find.reviewPlanned(formatDay(next_review, m));
  return m.find.reviewed(formatDay(dayOf(new Date(reviewed_at)), m), reviewed_by, formatDay(next_review, m));
}

export const isReviewLate = ({ next_review }: Reviewed): boolean =>
  next_review ? next_review < dayOf(new Date()) : false;
