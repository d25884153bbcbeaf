// What admins look for in the documents list, and what they do with documents.
import { type InfiniteData, keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, service } from "../../api/client";
import { ApiError, asApiError } from "../../api/errors";
import type {
  Access,
  DocumentDetail,
  DocumentList,
  DocumentReviewIn,
  DocumentSummary,
  Loaded,
  MetadataIn,
  PersonalChoice,
} from "../../api/types";
import { useChange } from "../client";
import { find, getDocument, LISTS, type Order, ofOne, one } from "../documents/list";
import { every, type Listing, PAGES, usePages } from "../documents/pages";
import { OWNERS } from "../owners";

const NAMES = 20; // to choose from while one is typed
const changesOf = (id: string) => [...ofOne(id), "changes"];
const accessOf = (id: string) => [...ofOne(id), "access"];

/** What an admin looks for: all that counts now, what asks for attention, or what was taken out. */
export type Shown =
  | ""
  | "failed"
  | "expired"
  | "expires_soon"
  | "expires_later"
  | "expires_in_6_months"
  | "expires_in_12_months"
  | "undated"
  | "review_due"
  | "replaced"
  | "earlier"
  | "uncertain"
  | "withdrawn";
const WANTED: Record<Shown, Listing> = {
  "": {},
  failed: { status: "failed" },
  expired: { validity: "expired", replaced: false },
  expires_soon: { validity: "expires_soon", replaced: false },
  expires_later: { validity: "expires_later", replaced: false },
  expires_in_6_months: { validity: "expires_in_6_months", replaced: false },
  expires_in_12_months: { validity: "expires_in_12_months", replaced: false },
  undated: { validity: "undated", replaced: false },
  review_due: { validity: "review_due", replaced: false },
  replaced: { replaced: true },
  earlier: { status: "replaced" },
  uncertain: { uncertain: true },
  withdrawn: { status: "retired" },
};

export interface Listed {
  search: string; // in title or file name
  shown: Shown;
  department: string;
  owner: string | null; // null: whoever it is; "": nobody
  order: Order | ""; // "": nobody chose one
}

/** What lapsed or soon does is looked through from the earliest on, unless one is chosen. */
export const orderOf = ({ shown, order }: Pick<Listed, "shown" | "order">): Order =>
  order || (shown === "review_due" ? "next_review" : shown.startsWith("expire") ? "valid_until" : "title");

const wantedOf = ({ search, shown, department, owner, order }: Listed): Listing => ({
  search,
  department,
  order: orderOf({ shown, order }),
  ...(owner === "" ? { unowned: true } : owner !== null && { owner }),
  ...WANTED[shown],
});

/** A page at a time. */
export const useDocuments = (listed: Listed) => usePages(wantedOf(listed));

/** All of them: to be changed at once, or saved. */
export const allDocuments = (listed: Listed): Promise<DocumentSummary[]> => every(wantedOf(listed));

/** File names to choose from. */
export const useFileNames = (search: string) =>
  useQuery({
    queryKey: [...LISTS, "names", search],
    queryFn: ({ signal }) => find({ search, limit: NAMES }, signal),
    select: ({ documents }) => documents.map(({ source }) => source),
    placeholderData: keepPreviousData,
  });

/** Valid documents that this one may be a new version of. */
export const usePredecessors = ({ id, title }: DocumentSummary) =>
  useQuery({
    queryKey: [...LISTS, "predecessors", id, title],
    queryFn: () => call(service.GET("/documents/{document_id}/predecessors", one(id))),
    select: ({ documents }) => documents,
  });

/**
 * Fetched anew for each form, and not while one is open: a form on an older answer would take back
 * what somebody else said.
 */
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

/**
 * Say something of a document. It keeps its place in the lists that are shown, whatever its new
 * title.
 */
export function useDescribe(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: MetadataIn) => call(service.PATCH("/documents/{document_id}", { ...one(id), body })),
    onSuccess: (described, { supersedes }) => {
      void client.invalidateQueries({ queryKey: OWNERS });
      client.setQueryData<DocumentDetail>(ofOne(id), described);
      if (supersedes !== undefined) void client.invalidateQueries({ queryKey: LISTS }); // another one is told apart
      client.setQueriesData<InfiniteData<DocumentList>>(
        { queryKey: PAGES },
        (lists) => lists && withOne(lists, described),
      );
      void client.invalidateQueries({ queryKey: changesOf(id) });
    },
  });
}

/** Say by when to look, and that it still holds. It keeps its place in the lists, too. */
export function useReviewed(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: DocumentReviewIn) => call(service.PUT("/documents/{document_id}/review", { ...one(id), body })),
    onSuccess: ({ reviewed_at, reviewed_by, next_review, to_review_by, review_reason }) => {
      const changed = { id, reviewed_at, reviewed_by, next_review, to_review_by, review_reason };
      client.setQueriesData<InfiniteData<DocumentList>>(
        { queryKey: PAGES },
        (lists) => lists && withOne(lists, changed),
      );
      void client.invalidateQueries({ queryKey: changesOf(id) });
      void client.invalidateQueries({ queryKey: OWNERS }); // whose work it is
    },
  });
}

type Changed = Partial<DocumentSummary> & Pick<DocumentSummary, "id">;

function withOne(lists: InfiniteData<DocumentList>, changed: Changed): InfiniteData<DocumentList> {
  const pages = lists.pages.map((page) => ({
    ...page,
    documents: page.documents.map((document) => (document.id === changed.id ? { ...document, ...changed } : document)),
  }));
  return { ...lists, pages };
}

/** Load one file for these groups; what became of it. None: for who may by default. */
export function useLoad() {
  const client = useQueryClient();
  return useChange(async ({ file, groups }: { file: File; groups: readonly string[] }): Promise<Loaded | undefined> => {
    const bodySerializer = (body: { file: Blob; groups: string }): FormData => {
      const form = new FormData(); // the browser adds the boundary to the content type itself
      form.append("file", body.file);
      form.append("groups", body.groups);
      return form;
    };
    const body = { file, groups: groups.join() };
    const { items } = await call(service.POST("/documents", { body, bodySerializer }));
    // others may have been repaired with it
    const loaded = items.find(({ source }) => source === file.name.normalize("NFC")) ?? items[0];
    void client.invalidateQueries({ queryKey: accessOf(loaded?.document_id ?? "") });
    return loaded;
  }, LISTS);
}

interface Withdrawn {
  id: string;
  reason: string;
  personal_data: PersonalChoice;
}

const retire = ({ id, ...body }: Withdrawn): Promise<DocumentSummary> =>
  call(service.POST("/documents/{document_id}/withdraw", { ...one(id), body }));
export const useRetire = () => useChange(retire, LISTS);

/** Why it was taken out, in place of what was said. */
export const useExplained = (id: string) =>
  useChange(
    (body: Omit<Withdrawn, "id">) =>
      call(service.PUT("/documents/{document_id}/withdrawal-reason", { ...one(id), body })),
    LISTS,
  );

/** Read once more what could not be read. Raises where it still cannot. */
async function retry(id: string): Promise<void> {
  const { items } = await call(service.POST("/documents/{document_id}/retry", one(id)));
  const wrong = items.find(({ document_id, outcome }) => document_id === id && outcome === "failed");
  if (wrong) throw new ApiError(wrong.reason, wrong.message);
}
export const useRetry = () => useChange(retry, LISTS);

/** What was taken out counts again. */
export const useRestore = () =>
  useChange((id: string) => call(service.POST("/documents/{document_id}/restore", one(id))), LISTS);

/** What is done to each: described anew, taken out for a reason, or read once more. */
export type Bulked = (MetadataIn & { reset: unknown }) | { withdraw: Omit<Withdrawn, "id"> } | { retry: true };

export interface Done {
  done: number;
  failed: { document: DocumentSummary; code: string }[];
}

/**
 * The same change to each of these, one after another. `tell`: so many are done. Throws where the
 * words that go with it are for their writer to decide on: that is so for all of them.
 */
export function useBulk() {
  const client = useQueryClient();
  return async (documents: readonly DocumentSummary[], change: Bulked, tell: (done: number) => void): Promise<Done> => {
    const failed: Done["failed"] = [];
    for (const [place, document] of documents.entries()) {
      tell(place);
      await ("withdraw" in change
        ? retire({ id: document.id, ...change.withdraw })
        : "retry" in change
          ? retry(document.id)
          : call(service.PATCH("/documents/{document_id}", { ...one(document.id), body: change }))
      ).catch((thrown) => {
        const error = asApiError(thrown);
        if (error.code.startsWith("personal_data")) throw error;
        failed.push({ document, code: error.code });
      });
    }
    for (const queryKey of [LISTS, OWNERS]) void client.invalidateQueries({ queryKey });
    return { done: documents.length - failed.length, failed };
  };
}

/** Who may read a document, and who said so. */
export const useAccess = (id: string) =>
  useQuery({
    queryKey: accessOf(id),
    queryFn: () => call(service.GET("/documents/{document_id}/access", one(id))),
    gcTime: 0,
  });

/**
 * Say who may read a document, or all of a department of which nothing else is said. Null: what its
 * folder, site or department says counts again; of a department, what holds for all.
 */
export function usePutAccess(id: string, onSaved: (access: Access) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ groups, department }: { groups: string[] | null; department?: string }): Promise<Access> => {
      if (department === undefined)
        return call(service.PUT("/documents/{document_id}/access", { ...one(id), body: { groups } }));
      const { departments } = await call(
        service.PUT("/department-access/{department}", { params: { path: { department } }, body: { groups } }),
      );
      const said = departments.find((other) => other.department === department.trim().toLowerCase());
      return said ?? call(service.GET("/documents/{document_id}/access", one(id)));
    },
    onSuccess: (access) => {
      client.setQueryData<Access>(accessOf(id), access);
      onSaved(access);
      void client.invalidateQueries({ queryKey: LISTS });
    },
  });
}
