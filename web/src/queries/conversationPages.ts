// The reader's own conversations, a page at a time: not for who only asks.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { call, service } from "../api/client";
import { ALL } from "./conversations";

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
