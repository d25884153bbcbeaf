// What machines show instead of signing in. Who is no admin is refused.
import { useQuery } from "@tanstack/react-query";
import { call, done, service } from "../../api/client";
import type { KeyIn } from "../../api/types";
import { useChange } from "../client";

const ALL = ["keys"];

export const useKeys = () => useQuery({ queryKey: ALL, queryFn: () => call(service.GET("/keys")) });

export const useMakeKey = () => useChange((body: KeyIn) => call(service.POST("/keys", { body })), ALL);

export const useRevokeKey = () =>
  useChange((id: string) => done(service.DELETE("/keys/{key_id}", { params: { path: { key_id: id } } })), ALL);
