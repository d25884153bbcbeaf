// The documents list, one document, and what admins do with both.
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { address, call, service } from "../api/client";
import { asApiError } from "../api/errors";
import type { Access, DocumentDetail, DocumentList, DocumentSummary, Loaded, MetadataIn, Validity } from "../api/types";
import { useChange } from "./client";

const LISTS = ["documents"];
const PAGES = [...LISTS, "pages"];
const AT_ONCE = 50;
const NAMES = 20; // to choose from while one is typed

const one = (id: string) => ({ params: { path: { document_id: id } } });
const ofOne = (id: string) => ["document", id];
const changesOf = (id: string) => [...ofOne(id), "changes"];

export const fileUrl = (id: string): string => address("/documents/{document_id}/file", one(id).params);
export const getDocument = (id: string): Promise<DocumentDetail> =>
  call(service.GET("/documents/{document_id}", one(id)));

/** Words of a document with their place, as a link names them. */
export const useLinked = ({ document, page, quote }: { document: string; page: number; quote: string }) =>
  useQuery({
    queryKey: [...ofOne(document), "place", page, quote],
    queryFn: () =>
      call(
        service.GET("/documents/{document_id}/place", {
          params: { path: { document_id: document }, query: { page, quote } },
        }),
      ),
  });

interface Wanted {
  search?: string;
  status?: "indexed" | "failed" | "retired" | undefined;
  department?: string;
  document_type?: string;
  validity?: Validity | undefined;
  uncertain?: boolean;
  id?: string[];
  limit: number;
  offset?: number;
}

const find = (query: Wanted, signal: AbortSignal): Promise<DocumentList> =>
  call(service.GET("/documents", { params: { query }, signal }));

/** The first ones by title. */
export const useFirstDocuments = (limit: number) =>
  useQuery({ queryKey: [...LISTS, "first", limit], queryFn: ({ signal }) => find({ limit }, signal) });

export interface DocumentFilters {
  search: string; // in title or file name
  department: string;
  document_type: string;
  validity: Validity | ""; // on this day
}

/** What an admin looks for: all that counts now, what asks for attention, or what was taken out. */
export type Shown = "" | "failed" | "expired" | "expires_soon" | "uncertain" | "withdrawn";
const WANTED: Record<Shown, Omit<Wanted, "limit">> = {
  "": {},
  failed: { status: "failed" },
  expired: { validity: "expired" },
  expires_soon: { validity: "expires_soon" },
  uncertain: { uncertain: true },
  withdrawn: { status: "retired" },
};

/** Those with these words in title or file name, a page at a time. */
export const useDocuments = (search: string, shown: Shown, department: string) =>
  usePages({ search, department, ...WANTED[shown] });

/** Those that can be read, a page at a time. */
export const useProcedures = ({ validity, ...filters }: DocumentFilters) =>
  usePages({ ...filters, validity: validity || undefined, status: "indexed" });

/** What there is now of the first of these, in their order; a newer version of one stands at the end. */
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

const usePages = (wanted: Omit<Wanted, "limit" | "offset">) =>
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

/** File names to choose from. */
export const useFileNames = (search: string) =>
  useQuery({
    queryKey: [...LISTS, "names", search],
    queryFn: ({ signal }) => find({ search, limit: NAMES }, signal),
    select: ({ documents }) => documents.map(({ source }) => source),
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

/** Fetched anew for each form, and not while one is open: a form on an older answer would take back what somebody else said. */
export const useDocumentDetail = (id: string) =>
  useQuery({
    queryKey: ofOne(id),
    queryFn: () => getDocument(id),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export const useChanges = (id: string, enabled: boolean) =>
  useQuery({
    enabled,
    queryKey: changesOf(id),
    queryFn: () => call(service.GET("/documents/{document_id}/changes", one(id))),
  });

/** Say something of a document. It keeps its place in the lists that are shown, whatever its new title. */
export function useDescribe(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: MetadataIn) => call(service.PATCH("/documents/{document_id}", { ...one(id), body })),
    onSuccess: (described) => {
      client.setQueryData<DocumentDetail>(ofOne(id), described);
      client.setQueriesData<InfiniteData<DocumentList>>(
        { queryKey: PAGES },
        (lists) => lists && withOne(lists, described),
      );
      void client.invalidateQueries({ queryKey: changesOf(id) });
    },
  });
}

function withOne(lists: InfiniteData<DocumentList>, changed: DocumentDetail): InfiniteData<DocumentList> {
  const pages = lists.pages.map((page) => ({
    ...page,
    documents: page.documents.map((document) => (document.id === changed.id ? changed : document)),
  }));
  return { ...lists, pages };
}

/** Load one file; what became of it. */
export const useLoad = () =>
  useChange(async (file: File): Promise<Loaded | undefined> => {
    const bodySerializer = (body: { file: Blob }): FormData => {
      const form = new FormData(); // the browser adds the boundary to the content type itself
      form.append("file", body.file);
      return form;
    };
    const { items } = await call(service.POST("/documents", { body: { file, groups: "" }, bodySerializer }));
    return items.find(({ source }) => source === file.name.normalize("NFC")) ?? items[0]; // others may have been repaired with it
  }, LISTS);

const retire = (id: string): Promise<DocumentSummary> => call(service.DELETE("/documents/{document_id}", one(id)));
export const useRetire = () => useChange(retire, LISTS);

/** What was taken out counts again. */
export const useRestore = () =>
  useChange((id: string) => call(service.POST("/documents/{document_id}/restore", one(id))), LISTS);

export interface Done {
  done: number;
  failed: { document: DocumentSummary; code: string }[];
}

/** The same change to each of these, one after another; "withdraw" takes them out. `tell`: so many are done. */
export function useBulk() {
  const client = useQueryClient();
  return async (
    documents: readonly DocumentSummary[],
    change: MetadataIn | "withdraw",
    tell: (done: number) => void,
  ): Promise<Done> => {
    const failed: Done["failed"] = [];
    for (const [place, document] of documents.entries()) {
      tell(place);
      await (change === "withdraw"
        ? retire(document.id)
        : call(service.PATCH("/documents/{document_id}", { ...one(document.id), body: change }))
      ).catch((error) => failed.push({ document, code: asApiError(error).code }));
    }
    void client.invalidateQueries({ queryKey: LISTS });
    return { done: documents.length - failed.length, failed };
  };
}

const accessOf = (id: string) => [...ofOne(id), "access"];

/** Who may read a document, and who said so. */
export const useAccess = (id: string) =>
  useQuery({
    queryKey: accessOf(id),
    queryFn: () => call(service.GET("/documents/{document_id}/access", one(id))),
    gcTime: 0,
  });

/** Null: what its folder, site or department says counts again. */
export function usePutAccess(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (groups: string[] | null) =>
      call(service.PUT("/documents/{document_id}/access", { ...one(id), body: { groups } })),
    onSuccess: (access) => {
      client.setQueryData<Access>(accessOf(id), access);
      void client.invalidateQueries({ queryKey: LISTS });
    },
  });
}
