// What was asked in vain. For quality staff.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { address, call, service } from "../../api/client";

/** null: every department. */
type Department = string | null;

const only = (department: Department) => (department === null ? {} : { query: { department } });

export const useGaps = (department: Department) =>
  useQuery({
    queryKey: ["gaps", department],
    queryFn: () => call(service.GET("/gaps", { params: only(department) })),
    placeholderData: keepPreviousData,
  });

export const gapsCsvUrl = (department: Department): string => address("/gaps.csv", only(department));
