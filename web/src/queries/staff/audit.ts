// The trail of who did what. Each reading is an entry of it: nothing here is asked by itself,
// again, or for every letter.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { address, call, service } from "../../api/client";
import type { Entry, Result } from "../../api/types";
import { useChange, useSent } from "../client";

const CHAIN = ["audit", "chain"];
const AT_ONCE = 50;
const NEWEST = 0; // where the first page begins; numbers of entries begin at 1

/** What is absent is not asked for. */
export interface TrailQuery {
  user?: string;
  action?: string[];
  document?: string;
  request?: string;
  result?: Result;
  use?: "quoted" | "shown" | "refused";
  since?: string;
  until?: string;
}

/**
 * Newest first, a page at a time. `time`: the how manieth time it is asked; the same is read anew,
 * too.
 */
export const useEntries = (query: TrailQuery, time: number) =>
  useInfiniteQuery({
    queryKey: ["audit", "entries", time, query],
    queryFn: ({ pageParam: before, signal }) =>
      call(service.GET("/audit", { params: { query: { ...query, before: before || null, limit: AT_ONCE } }, signal })),
    initialPageParam: NEWEST,
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const exportUrl = (query: TrailQuery): string => address("/audit.jsonl", { query });

/** All that fits, oldest first: for a table of it, which the page makes. */
export const useExport = () =>
  useSent(async (query: TrailQuery): Promise<Entry[]> => {
    const lines = await call(service.GET("/audit.jsonl", { params: { query }, parseAs: "text" }));
    return lines
      .split("\n")
      .filter(Boolean)
      .map((line): Entry => JSON.parse(line));
  });

export const useChain = () =>
  useQuery({ queryKey: CHAIN, queryFn: () => call(service.GET("/audit/chain")), staleTime: Number.POSITIVE_INFINITY });

export const useVerify = () => useChange(() => call(service.POST("/audit/verify")), CHAIN);
