// The reader's own conversations.
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { call, done, service } from "../api/client";
import type { ConversationDetail, ConversationIn } from "../api/types";
import { useChange } from "./client";

const ALL = ["conversations"];
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

const AT_ONCE = 50;

/** Those with these words, the pinned and then the newest first, a page at a time. */
export const useConversationPages = (search: string) =>
  useInfiniteQuery({
    queryKey: [...ALL, "pages", search],
    queryFn: ({ pageParam: offset, signal }) =>
      call(service.GET("/conversations", { params: { query: { search, limit: AT_ONCE, offset } }, signal })),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.flatMap((page) => page.conversations).length;
      return loaded < last.total && last.conversations.length > 0 ? loaded : undefined;
    },
    placeholderData: keepPreviousData,
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
