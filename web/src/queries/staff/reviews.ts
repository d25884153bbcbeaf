// What staff were answered, to be judged by quality staff.
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { call, service } from "../../api/client";
import type { ReviewIn, ReviewList } from "../../api/types";

export interface ReviewsOf {
  since: string; // an ISO date; "": always
  refused: boolean;
  reported: boolean;
  unjudged: boolean;
  judged: boolean;
  department: string | null; // of who asked; null: every department
  search: string; // in the question
  after: string; // a moment, as a field of the page has it; "": whenever
  before: string;
}

const REVIEWS = ["reviews"];
const AT_ONCE = 20;

/** Newest first, a page at a time. */
export const useReviews = ({ since, department, search, after, before, ...only }: ReviewsOf) =>
  useInfiniteQuery({
    queryKey: [...REVIEWS, since, department, search, after, before, only],
    queryFn: ({ pageParam: offset }) =>
      call(
        service.GET("/reviews", {
          params: {
            query: {
              ...only,
              ...(since && { since }),
              ...(department !== null && { department }),
              search,
              ...(after && { after: new Date(after).toISOString() }),
              ...(before && { before: new Date(before).toISOString() }),
              limit: AT_ONCE,
              offset,
            },
          },
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.flatMap((page) => page.reviews).length;
      return loaded < last.total && last.reviews.length > 0 ? loaded : undefined;
    },
    placeholderData: keepPreviousData,
  });

/** What was judged keeps its place in the list, also where that shows what is not judged yet. */
export function useReview(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ReviewIn) =>
      call(service.PUT("/reviews/{answer_id}", { params: { path: { answer_id: id } }, body })),
    onSuccess: (said) =>
      client.setQueriesData<InfiniteData<ReviewList>>(
        { queryKey: REVIEWS },
        (lists) =>
          lists && {
            ...lists,
            pages: lists.pages.map((page) => ({
              ...page,
              reviews: page.reviews.map((one) => (one.answer_id === id ? said : one)),
            })),
          },
      ),
  });
}
