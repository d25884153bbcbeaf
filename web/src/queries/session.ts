// Who is signed in, and how one signs in here.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { call, done, service } from "../api/client";
import type { components } from "../api/schema";

export type Session = components["schemas"]["SessionOut"];
export type Role = components["schemas"]["Role"];

const KEY = ["session"];
const PATIENCE = 4000; // milliseconds: a page that says what is wrong is better than one that stays empty

/** Asked anew when the reader comes back to this tab: they may have signed in elsewhere, or out. */
export function useSession() {
  return useQuery({
    queryKey: KEY,
    queryFn: (): Promise<Session> => call(service.GET("/session", { signal: AbortSignal.timeout(PATIENCE) })),
    refetchOnWindowFocus: "always",
    retryOnMount: false, // each that shows who is signed in would ask again
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Whom what is kept on this device belongs to; where one does not sign in, to the one user that
 * there is.
 */
export const usePerson = (): string => useSession().data?.user?.id ?? "";

/** Of who is signed in; where one does not sign in, of the one user that there is. */
export const useRoles = (): readonly Role[] => useSession().data?.user?.roles ?? [];

/** Return what makes the page forget all that was fetched, and who was signed in. */
export function useSignedOut(): () => void {
  const client = useQueryClient();
  return useCallback(() => {
    const before = client.getQueryData<Session>(KEY);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
    client.getMutationCache().clear();
    // The session's own entry stays: who shows it would not hear of another one that took its
    // place.
    if (before) client.setQueryData<Session>(KEY, { ...before, user: null });
    else void client.invalidateQueries({ queryKey: KEY });
  }, [client]);
}

export function useSignIn(): (login: string, password: string) => Promise<void> {
  const client = useQueryClient();
  return async (login, password) => {
    client.setQueryData(KEY, await call(service.POST("/session", { body: { login, password } })));
  };
}

export const signOut = async (): Promise<string | null> => (await call(service.DELETE("/session"))).go_to ?? null;

export const stillThere = (): Promise<void> => done(service.POST("/session/used"));
