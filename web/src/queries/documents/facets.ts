// What documents can be filtered and ordered by, and who can ask.
import { useQuery } from "@tanstack/react-query";
import { call, service } from "../../api/client";
import type { Facets } from "../../api/types";

/** Fetched once for all that show it. */
export const useFacets = (enabled = true) =>
  useQuery({
    queryKey: ["facets"],
    queryFn: () => call(service.GET("/facets")),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });

/** The functions by id, each with its name in the page's language. */
export const functionsOf = (facets: Facets | undefined, { locale }: { locale: string }): [string, string][] =>
  (facets?.functions ?? []).map((one) => [one.id, locale.startsWith("nl") ? one.nl : one.en]);

/** What is none of these is called as it is. */
export const nameOf = (functions: readonly (readonly [string, string])[], id: string): string =>
  functions.find(([one]) => one === id)?.[1] ?? id;
