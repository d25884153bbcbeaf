// Who may sign in, and what admins do with that. Who is no admin is refused.
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { call, done, service } from "../../api/client";
import type { AccountIn, NewAccount } from "../../api/types";
import { useChange } from "../client";
import type { Role } from "../session";

const ALL = ["accounts"];
const AT_ONCE = 50;

const one = (id: string) => ({ path: { account_id: id } });

/** Empty and undefined: all. */
interface Wanted {
  search: string;
  group: string;
  role: Role | undefined;
  suspended: boolean | undefined;
}

/** By name, a page at a time. */
export const useAccounts = (wanted: Wanted) =>
  useInfiniteQuery({
    queryKey: [...ALL, "pages", wanted],
    queryFn: ({ pageParam: offset, signal }) =>
      call(service.GET("/accounts", { params: { query: { ...wanted, limit: AT_ONCE, offset } }, signal })),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const loaded = pages.flatMap((page) => page.accounts).length;
      return loaded < last.total && last.accounts.length > 0 ? loaded : undefined;
    },
    placeholderData: keepPreviousData,
  });

/** Some whose name or login holds these words: to choose from. */
export const useAccountsCalled = (search: string) =>
  useQuery({
    queryKey: [...ALL, "called", search],
    queryFn: ({ signal }) => call(service.GET("/accounts", { params: { query: { search, limit: 20 } }, signal })),
    select: ({ accounts }) => accounts,
    placeholderData: keepPreviousData,
  });

/**
 * Some who may read a document ("": who may read here), whose name or login holds these words: to
 * give something to.
 */
export const useColleagues = (document: string, search: string, reviewing: boolean, enabled: boolean) =>
  useQuery({
    enabled,
    queryKey: [...ALL, "colleagues", document, search, reviewing],
    queryFn: ({ signal }) =>
      document === ""
        ? call(service.GET("/colleagues", { params: { query: { search } }, signal }))
        : call(
            service.GET("/documents/{document_id}/readers", {
              params: { path: { document_id: document }, query: { search, may_review: reviewing } },
              signal,
            }),
          ),
    select: ({ colleagues }) => colleagues,
    placeholderData: keepPreviousData,
  });

/** Those whose whole id, login or name this is, of who may read a document; of no words nobody. */
export const useCalled = (document: string, called: string) =>
  useQuery({
    enabled: called !== "",
    queryKey: [...ALL, "called", document, called],
    queryFn: ({ signal }) => {
      const params = { path: { document_id: document }, query: { search: called, exact: true } };
      return call(service.GET("/documents/{document_id}/readers", { params, signal }));
    },
    select: ({ colleagues }) => colleagues,
  });

/**
 * All that are known, each with how many read documents through it; asked anew when the reader
 * comes back to this tab: somebody may have been put in one elsewhere.
 */
export const useGroups = (enabled = true) =>
  useQuery({
    enabled,
    refetchOnWindowFocus: true,
    queryKey: [...ALL, "groups"],
    queryFn: () => call(service.GET("/groups")),
    select: ({ groups }) => groups,
  });

export const useMakeAccount = () => useChange((body: NewAccount) => call(service.POST("/accounts", { body })), ALL);

export const useChangeAccount = (id: string) =>
  useChange((body: AccountIn) => call(service.PATCH("/accounts/{account_id}", { params: one(id), body })), ALL);

export const useSetPassword = (id: string) =>
  useChange(
    (password: string) => done(service.PUT("/accounts/{account_id}/password", { params: one(id), body: { password } })),
    ALL,
  );

export const useEndSessions = (id: string) =>
  useChange(() => call(service.DELETE("/accounts/{account_id}/sessions", { params: one(id) })), ALL);

/** Each time it is asked, not kept: permissions change. */
export const useWhy = (account: string) =>
  useMutation({
    mutationFn: (document: string) =>
      call(
        service.GET("/documents/{document_id}/access/{account_id}", {
          params: { path: { document_id: document, account_id: account } },
        }),
      ),
  });
