// What documents can be filtered and ordered by, and who can ask.
import { useQuery } from "@tanstack/react-query";
import { call, service } from "../../api/client";

/** Fetched once for all that show it. */
export const useFacets = (enabled = true) =>
  useQuery({
    queryKey: ["facets"],
    queryFn: () => call(service.GET("/facets")),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
