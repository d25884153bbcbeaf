// What a reader says of an answer.
import { useMutation } from "@tanstack/react-query";
import { call, service } from "../api/client";
import type { FeedbackIn } from "../api/types";

/** A verdict, a document that held the answer, or a report. */
export const useFeedback = (answerId: string) =>
  useMutation({
    mutationFn: (said: Partial<FeedbackIn>) =>
      call(
        service.POST("/answers/{answer_id}/feedback", {
          params: { path: { answer_id: answerId } },
          body: { comment: "", ...said },
        }),
      ),
  });
