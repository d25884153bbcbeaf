// The reader's own conversations.
import { useQuery } from "@tanstack/react-query";
import { call, done, service } from "../api/client";
import type { ConversationDetail, ConversationIn } from "../api/types";
import { useChange } from "./client";

export const ALL = ["conversations"];
const NEWEST = 20;

const one = (id: string) => ({ params: { path: { conversation_id: id } } });

export const getConversation = (id: string): Promise<ConversationDetail> =>
  call(service.GET("/conversations/{conversation_id}", one(id)));

/** The newest ones, fetched each time that `shown` becomes true. */
export const useConversations = (shown: boolean) =>
  useQuery({
    queryKey: ALL,
    queryFn: () => call(service.GET("/conversations", { params: { query: { limit: NEWEST } } })),
    enabled: shown,
  });

/** Its name, or whether it is pinned. */
export const useChangeConversation = (id: string) =>
  useChange(
    (body: ConversationIn) => call(service.PATCH("/conversations/{conversation_id}", { ...one(id), body })),
    ALL,
  );

/** With its answers and what was said of them. */
export const useForget = () =>
  useChange((id: string) => done(service.DELETE("/conversations/{conversation_id}", one(id))), ALL);
