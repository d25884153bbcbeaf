// How much is asked, and how readily Bedside answers. For quality staff; an admin chooses.
import { useQuery } from "@tanstack/react-query";
import { call, service } from "../../api/client";
import type { RiskName } from "../../api/types";
import { useChange } from "../client";

export const useUsage = (weeks: number) =>
  useQuery({
    queryKey: ["usage", weeks],
    queryFn: () => call(service.GET("/usage", { params: { query: { weeks } } })),
  });

interface Period {
  since: string; // ISO dates, both included
  until: string;
}

export const useReport = (period: Period, enabled: boolean) =>
  useQuery({
    enabled,
    queryKey: ["report", period],
    queryFn: () => call(service.GET("/report", { params: { query: period } })),
  });

const RISK = ["risk"];

export const useRisk = () => useQuery({ queryKey: RISK, queryFn: () => call(service.GET("/risk")) });

/** null: as the settings say. */
export const useChooseRisk = () =>
  useChange((risk: RiskName | null) => call(service.PUT("/risk", { body: { risk } })), RISK);
