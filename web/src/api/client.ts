// The only place that talks to the service. Every failure is an ApiError with a stable code.
import { messages } from "./sse";
import type {
  AskIn,
  ConversationDetail,
  ConversationList,
  DocumentDetail,
  DocumentList,
  Facets,
  Health,
  StreamEvent,
} from "./types";

export const BASE = "/api";

export interface Wrong {
  where: string; // "line 4"; empty: all of it
  what: string; // in English
  code?: string; // and values: for the reader's language
  values?: Record<string, string>;
}

/** `offline`: no connection. `stream_broken`: the answer stopped half-way. Else the code of the server's problem document. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 0,
    readonly rows: readonly Wrong[] = [], // what is wrong, place by place, where the service says so
  ) {
    super(message);
  }
}

export const fileUrl = (documentId: string): string => `${BASE}/documents/${encodeURIComponent(documentId)}/file`;

export const getDocuments = (limit: number): Promise<DocumentList> => get(`/documents?limit=${limit}`);
export const getDocument = (id: string): Promise<DocumentDetail> => get(`/documents/${encodeURIComponent(id)}`);
export const getFacets = (): Promise<Facets> => get("/facets");
export const getConversations = (limit: number): Promise<ConversationList> => get(`/conversations?limit=${limit}`);
export const getConversation = (id: string): Promise<ConversationDetail> =>
  get(`/conversations/${encodeURIComponent(id)}`);

/** With its answers and what was said of them. */
export const deleteConversation = (id: string): Promise<void> => remove(`/conversations/${encodeURIComponent(id)}`);

/** Asks and yields what the server sends. Throws ApiError; an abort by `signal` ends it without an error. */
export async function* ask(body: AskIn, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const request = { method: "POST", headers: { "Content-Type": "application/json", Accept: "text/event-stream" } };
  let last = "";
  try {
    const response = await send("/ask", { ...request, body: JSON.stringify(body), signal });
    if (!response.body) throw new ApiError("stream_broken", "The answer came without a body.");
    for await (const message of messages(response.body)) {
      last = message.event;
      yield { type: message.event, data: JSON.parse(message.data) } as StreamEvent;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof ApiError ? error : new ApiError("stream_broken", String(error));
  }
  if (last !== "done" && last !== "failed") throw new ApiError("stream_broken", "The answer ended too early.");
}

/** How each part is. A service that cannot answer questions says so with status 503 and the same body. */
export async function getHealth(): Promise<Health> {
  const response = await fetch(`${BASE}/health`, { headers: { Accept: "application/json" } });
  const health = await response.json();
  if (!("parts" in health)) throw new ApiError(health.code ?? "internal", health.detail ?? "", response.status);
  return health as Health;
}

export async function get<T>(path: string): Promise<T> {
  const response = await send(path, { headers: { Accept: "application/json" } });
  return (await response.json()) as T;
}

export async function sendJson<T>(method: "POST" | "PUT" | "PATCH", path: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  const response = await send(path, { method, headers, body: JSON.stringify(body) });
  return (await response.json()) as T;
}

export async function sendFile<T>(path: string, file: File): Promise<T> {
  const body = new FormData(); // the browser adds the boundary to the content type itself
  body.append("file", file);
  const response = await send(path, { method: "POST", headers: { Accept: "application/json" }, body });
  return (await response.json()) as T;
}

export async function remove(path: string): Promise<void> {
  await send(path, { method: "DELETE", headers: { Accept: "application/json" } });
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(BASE + path, init);
  } catch (error) {
    throw new ApiError("offline", String(error));
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new ApiError(
    problem.code ?? "internal",
    problem.detail ?? response.statusText,
    response.status,
    problem.errors ?? [],
  );
}
