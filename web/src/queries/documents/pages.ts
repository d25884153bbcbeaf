// The documents list, a page at a time or by a title, and a place in one.
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { call, service } from "../../api/client";
import type { DocumentSummary, LinkedPlace, Validity } from "../../api/types";
import { find, LISTS, ofOne, type Wanted } from "./list";

export const PAGES = [...LISTS, "pages"];
const AT_ONCE = 50;
const FEW = 25; // that are left at the end, and are not worth a button

export interface DocumentFilters {
  search: string; // in title or file name
  department: string;
  document_type: string;
  validity: Validity | ""; // on this day
}

/** What of validity is watched over. */
export const LAPSING = [
  "expires_soon",
  "expires_later",
  "expires_in_6_months",
  "expires_in_12_months",
  "undated",
  "review_due",
] as const satisfies readonly Validity[];

/**
 * Those that can be read, a page at a time; what another one has replaced is not valid today, and
 * lapses unnoticed. What lapses comes in that order.
 */
const wantedOf = ({ validity, ...filters }: DocumentFilters): Listing => ({
  ...filters,
  validity: validity || undefined,
  status: "indexed",
  ...((validity === "valid" || LAPSING.some((one) => one === validity)) && { replaced: false }),
  order: validity === "review_due" ? "next_review" : validity.startsWith("expire") ? "valid_until" : "title",
});

export const useProcedures = (filters: DocumentFilters) => usePages(wantedOf(filters));
export const allProcedures = (filters: DocumentFilters): Promise<DocumentSummary[]> => every(wantedOf(filters));

export type Listing = Omit<Wanted, "limit" | "offset">;
const MOST = 200; // that the service lists at once

export async function every(wanted: Listing): Promise<DocumentSummary[]> {
  const found: DocumentSummary[] = [];
  for (;;) {
    const page = await find({ ...wanted, limit: MOST, offset: found.length });
    found.push(...page.documents);
    if (found.length >= page.total || page.documents.length === 0) return found;
  }
}

export const usePages = (wanted: Listing) =>
  useInfiniteQuery({
    queryKey: [...PAGES, wanted],
    queryFn: async ({ pageParam: offset, signal }) => {
      const page = await find({ ...wanted, limit: AT_ONCE, offset }, signal);
      const left = page.total - offset - page.documents.length;
      if (page.documents.length < AT_ONCE || left <= 0 || left > FEW) return page;
      const rest = await find({ ...wanted, limit: left, offset: offset + AT_ONCE }, signal);
      return { ...rest, documents: [...page.documents, ...rest.documents] };
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.flatMap((page) => page.documents).length;
      return loaded < last.total && last.documents.length > 0 ? loaded : undefined;
    },
    placeholderData: keepPreviousData,
  });

/** Documents to choose one from; nothing is asked for no words. */
export const useDocumentsCalled = (search: string) =>
  useQuery({
    queryKey: [...LISTS, "called", search],
    queryFn: ({ signal }) => find({ search, limit: 8 }, signal),
    select: ({ documents }) => documents,
    enabled: search !== "",
    placeholderData: keepPreviousData,
  });

interface Named {
  document: string;
  page: number;
  quotes: readonly string[];
}

/** Words of a document with their place, as a link names them. */
export const findPlace = ({ document, page, quotes }: Named): Promise<LinkedPlace> =>
  call(
    service.GET("/documents/{document_id}/place", {
      params: { path: { document_id: document }, query: { page, quote: quotes.join("\n") } },
    }),
  );

export const useLinked = (place: Named) =>
  useQuery({
    queryKey: [...ofOne(place.document), "place", place.page, place.quotes],
    queryFn: () => findPlace(place),
  });
