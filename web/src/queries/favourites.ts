// The procedures that the reader keeps at hand: theirs on every device.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call, done, service } from "../api/client";
import type { DocumentSummary } from "../api/types";

const KEY = ["favourites"];
const one = (id: string) => ({ params: { path: { document_id: id } } });

const keepFavourite = (id: string): Promise<void> => done(service.PUT("/favourites/{document_id}", one(id)));
const letGo = (id: string): Promise<void> => done(service.DELETE("/favourites/{document_id}", one(id)));

/** What counts now of each, the one kept last first. */
export const useFavourites = () =>
  useQuery({
    queryKey: KEY,
    queryFn: (): Promise<DocumentSummary[]> => call(service.GET("/favourites")).then(({ documents }) => documents),
  });

/** Keep the document with this id, or let it go. */
export function useKeepFavourite(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: boolean) => (wanted ? keepFavourite(id) : letGo(id)),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
