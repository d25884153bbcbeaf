// What all that is fetched has in common. A request is made once: whether to try again is the
// reader's to say.
import { QueryClient, type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { ApiError } from "../api/errors";

declare module "@tanstack/react-query" {
  interface Register {
    defaultError: ApiError; // of everything that goes through api/client's `call` and `done`
  }
}

/**
 * `networkMode`: a browser that thinks itself offline still asks, and the reader is told; else
 * everything would wait in silence.
 */
export const newQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { retry: false, refetchOnWindowFocus: false, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });

/**
 * Something sent to the service. The same again while it is on its way is sent once: a double click
 * is one.
 */
export function useSent<Result, Given>(send: (given: Given) => Promise<Result>, onSent?: () => void) {
  const underWay = useRef<string | null>(null);
  const { mutate, ...sent } = useMutation({
    mutationFn: send,
    onSuccess: onSent,
    onSettled: () => {
      underWay.current = null;
    },
  });
  const once: typeof mutate = (...given) => {
    const words = JSON.stringify(given[0]);
    if (words === underWay.current) return;
    underWay.current = words;
    mutate(...given);
  };
  return { ...sent, mutate: once };
}

/**
 * A change on the service, after which everything under `stale` is fetched again where it is shown.
 */
export function useChange<Result, Given>(change: (given: Given) => Promise<Result>, stale: QueryKey) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: stale }); // not waited for: the change is made
    },
  });
}
