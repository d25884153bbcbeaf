// How each part of the service is.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { service } from "../api/client";
import { asApiError, refusal } from "../api/errors";
import type { Health } from "../api/types";

const AGAIN = 10_000; // milliseconds

/** A service that cannot answer questions says so with status 503 and the same body. */
async function getHealth(): Promise<Health> {
  const { data, error, response } = await service.GET("/health").catch((failure: unknown) => {
    throw asApiError(failure);
  });
  const health = data ?? error;
  if (typeof health !== "object" || !("parts" in health)) throw refusal(health, response);
  return health;
}

/**
 * Asked at the start, after an answer that lacked something (the `lacking`th; 0: none did), and now
 * and then for as long as something is wrong: what the page says of it must stop being said when it
 * stops being so. Not `enabled`: who may not ask it would only be refused.
 */
export function useHealth(lacking: number, enabled: boolean): Health | undefined {
  const { data, refetch } = useQuery({
    queryKey: ["health"],
    queryFn: getHealth,
    enabled,
    refetchInterval: ({ state }) => state.data !== undefined && state.data.status !== "ok" && AGAIN,
  });
  useEffect(() => {
    if (lacking > 0) void refetch();
  }, [lacking, refetch]);
  return data;
}
