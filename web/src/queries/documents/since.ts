// What became of the documents of a conversation's answers, asked again while it stands open.
import { useQuery } from "@tanstack/react-query";
import { call, service } from "../../api/client";

const EVERY = 300_000; // milliseconds

/** Null: of none. A page that nobody sees asks when it is looked at again. */
export const useSince = (conversation: string | null) =>
  useQuery({
    queryKey: ["since", conversation],
    queryFn: () =>
      call(
        service.GET("/conversations/{conversation_id}/since", {
          params: { path: { conversation_id: conversation ?? "" } },
        }),
      ),
    enabled: conversation !== null,
    refetchInterval: EVERY,
    refetchOnWindowFocus: true,
    staleTime: EVERY,
    gcTime: 0, // a conversation that is opened again brings newer ones
  });
