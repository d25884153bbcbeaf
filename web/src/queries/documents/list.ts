// Documents, as the first page and a source need them.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { address, call, service } from "../../api/client";
import type { DocumentDetail, DocumentList, DocumentSummary, Validity } from "../../api/types";

export const LISTS = ["documents"];

export const one = (id: string) => ({ params: { path: { document_id: id } } });
export const ofOne = (id: string) => ["document", id];

export const fileUrl = (id: string): string => address("/documents/{document_id}/file", one(id).params);
export const getDocument = (id: string): Promise<DocumentDetail> =>
  call(service.GET("/documents/{document_id}", one(id)));

export type Order = "title" | "valid_until" | "next_review";

export interface Wanted {
  search?: string;
  status?: DocumentSummary["status"] | undefined;
  department?: string;
  document_type?: string;
  validity?: Validity | undefined;
  owner?: string;
  unowned?: boolean;
  uncertain?: boolean;
  id?: string[];
  replaced?: boolean;
  order?: Order;
  limit: number;
  offset?: number;
}

export const find = (query: Wanted, signal?: AbortSignal): Promise<DocumentList> =>
  call(service.GET("/documents", { params: { query }, ...(signal && { signal }) }));

/** The first ones by title. */
export const useFirstDocuments = (limit: number) =>
  useQuery({ queryKey: [...LISTS, "first", limit], queryFn: ({ signal }) => find({ limit }, signal) });

/**
 * What there is now of the first of these, in their order; a newer version of one stands at the
 * end.
 */
export function useKeptDocuments(ids: readonly string[], most: number): readonly DocumentSummary[] {
  const id = ids.slice(0, most);
  const { data } = useQuery({
    queryKey: [...LISTS, "kept", id],
    queryFn: ({ signal }) => find({ id, status: "indexed", limit: most }, signal),
    enabled: id.length > 0,
    placeholderData: keepPreviousData,
  });
  const place = (one: DocumentSummary): number => (id.includes(one.id) ? id.indexOf(one.id) : id.length);
  return id.length > 0 && data ? data.documents.toSorted((one, other) => place(one) - place(other)) : [];
}
