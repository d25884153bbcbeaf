// What a reader says of an answer.
import { call, service } from "../api/client";
import type { FeedbackIn } from "../api/types";
import { useSent } from "./client";

/** A verdict, a document that held the answer, or a report. */
export const useFeedback = (answerId: string, onSent?: () => void) =>
  useSent(
    (said: Partial<FeedbackIn>) =>
      call(
        service.POST("/answers/{answer_id}/feedback", {
          params: { path: { answer_id: answerId } },
          body: { comment: "", personal_data: "stop", ...said },
        }),
      ),
    onSent,
  );
