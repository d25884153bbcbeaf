// Procedures that are about words, whatever they are called.
import { useQuery } from "@tanstack/react-query";
import { call, service } from "../../api/client";
import { LISTS } from "./list";
import type { DocumentFilters } from "./pages";

/** Of what is valid today alone; nothing is asked for no words. */
export const useRelated = ({ search, department, document_type }: DocumentFilters) =>
  useQuery({
    queryKey: [...LISTS, "related", search, department, document_type],
    queryFn: ({ signal }) =>
      call(service.GET("/search", { params: { query: { search, department, document_type } }, signal })),
    select: ({ documents }) => documents,
    enabled: search !== "",
  });
