// The documents list, a page at a time.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { Validity } from "../api/types";
import { find, LISTS, type Wanted } from "./documents";

export const PAGES = [...LISTS, "pages"];
const AT_ONCE = 50;

export interface DocumentFilters {
  search: string; // in title or file name
  department: string;
  document_type: string;
  validity: Validity | ""; // on this day
}

/** Those that can be read, a page at a time. */
export const useProcedures = ({ validity, ...filters }: DocumentFilters) =>
  usePages({ ...filters, validity: validity || undefined, status: "indexed" });

export const usePages = (wanted: Omit<Wanted, "limit" | "offset">) =>
  useInfiniteQuery({
    queryKey: [...PAGES, wanted],
    queryFn: ({ pageParam: offset, signal }) => find({ ...wanted, limit: AT_ONCE, offset }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.flatMap((page) => page.documents).length;
      return loaded < last.total && last.documents.length > 0 ? loaded : undefined;
    },
    placeholderData: keepPreviousData,
  });
