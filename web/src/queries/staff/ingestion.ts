// Where the loading of documents is, whoever began it: here, on another admin's page, or every
// night.
import { useQuery } from "@tanstack/react-query";
import { call, service } from "../../api/client";
import { useChange } from "../client";

const KEY = ["ingestion"];
const [OFTEN, NOW_AND_THEN] = [700, 10_000]; // milliseconds

/** `loading`: this page has a file on its way. Asking keeps no session alive. */
export const useIngestion = (loading: boolean) =>
  useQuery({
    queryKey: KEY,
    queryFn: () => call(service.GET("/ingestion")),
    refetchInterval: ({ state }) => (loading || state.data?.ingesting ? OFTEN : NOW_AND_THEN),
  });

/** What was done stays. */
export const useStopIngestion = () => useChange(() => call(service.DELETE("/ingestion")), KEY);
