// What is asked of the owners of documents: asked, answered, and who they are.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, done, service } from "../api/client";
import type { OwnerIn, OwnerQuestionIn, OwnerReply, PassedOn } from "../api/types";
import { useChange, useSent } from "./client";

export const OWNERS = ["owners"];
export const GAPS = ["gaps"];

export function useAskOwner(document: string, onSent: () => void) {
  const client = useQueryClient();
  return useSent(async (body: OwnerQuestionIn) => {
    const params = { path: { document_id: document } };
    const sent = await call(service.POST("/documents/{document_id}/owner-questions", { params, body }));
    void client.invalidateQueries({ queryKey: GAPS }); // they say what was passed on
    return sent;
  }, onSent);
}

/** What was asked, to a colleague: about no document. */
export function usePassOn(answer: string, onSent: () => void) {
  const client = useQueryClient();
  return useSent(async (body: PassedOn) => {
    const params = { path: { answer_id: answer } };
    const sent = await call(service.POST("/answers/{answer_id}/owner-questions", { params, body }));
    void client.invalidateQueries({ queryKey: GAPS }); // they say what was passed on
    return sent;
  }, onSent);
}

/** Whom a question about a document would go to now. */
export const useReached = (document: string) =>
  useQuery({
    queryKey: [...OWNERS, "reached", document],
    queryFn: () => call(service.GET("/documents/{document_id}/owner", { params: { path: { document_id: document } } })),
    enabled: document !== "",
    gcTime: 0, // asked anew each time that the dialog opens
  });

/** What this reader asked, and what became of it. */
export const useAsked = () =>
  useQuery({ queryKey: [...OWNERS, "asked"], queryFn: () => call(service.GET("/owner-questions/asked")) });

/** It is seen: what is shown as new stays so until the page is loaded again. */
export const useSeen = () => useMutation({ mutationFn: () => done(service.POST("/owner-questions/asked/seen")) });

/** What waits for this reader as an owner, or as one of the quality staff. */
export const useWork = () =>
  useQuery({ queryKey: [...OWNERS, "work"], queryFn: () => call(service.GET("/owner-questions/work")) });

export const useReply = (id: string) =>
  useChange(
    (body: OwnerReply) =>
      call(
        service.POST("/owner-questions/{owner_question_id}/reply", {
          params: { path: { owner_question_id: id } },
          body,
        }),
      ),
    OWNERS,
  );

export const useOwners = () =>
  useQuery({ queryKey: [...OWNERS, "named"], queryFn: () => call(service.GET("/owners")) });

export const useNameOwner = () => useChange((body: OwnerIn) => done(service.PUT("/owners", { body })), OWNERS);
