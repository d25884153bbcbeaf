// Where changes of documents are told. Who is no admin is refused.
import { useQuery } from "@tanstack/react-query";
import { call, done, service } from "../../api/client";
import type { WebhookIn } from "../../api/types";
import { useChange } from "../client";

const ALL = ["webhooks"];
const AGAIN = 3000; // milliseconds: a test goes within seconds
const one = (id: string) => ({ params: { path: { webhook_id: id } } });

export const useWebhooks = () =>
  useQuery({ queryKey: [...ALL, "list"], queryFn: () => call(service.GET("/webhooks")), refetchInterval: AGAIN });

export const useDeliveries = (id: string) =>
  useQuery({
    queryKey: [...ALL, id],
    queryFn: () => call(service.GET("/webhooks/{webhook_id}/deliveries", one(id))),
    refetchInterval: AGAIN,
  });

export const useAddWebhook = () => useChange((body: WebhookIn) => call(service.POST("/webhooks", { body })), ALL);

export const useDeleteWebhook = () =>
  useChange((id: string) => done(service.DELETE("/webhooks/{webhook_id}", one(id))), ALL);

export const useTestWebhook = (id: string) =>
  useChange(() => call(service.POST("/webhooks/{webhook_id}/test", one(id))), ALL);
