// What was asked in vain. For quality staff.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { address, call, service } from "../../api/client";
import { GAPS } from "../owners";

export interface GapsOf {
  department: string | null; // null: every department
  since: string | null; // an ISO date; null: always
}

const only = ({ department, since }: GapsOf) => ({
  query: { ...(department !== null && { department }), ...(since !== null && { since }) },
});

export const useGaps = (of: GapsOf) =>
  useQuery({
    queryKey: [...GAPS, of],
    queryFn: () => call(service.GET("/gaps", { params: only(of) })),
    placeholderData: keepPreviousData,
  });

export const gapsCsvUrl = (of: GapsOf, language: "nl" | "en"): string =>
  address("/gaps.csv", { query: { ...only(of).query, language } });
