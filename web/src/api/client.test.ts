import { afterEach, expect, test, vi } from "vitest";
import { type ApiError, ask, getConversation } from "./client";
import type { StreamEvent } from "./types";

afterEach(() => {
  vi.unstubAllGlobals();
});

function serve(response: Response | Error): void {
  vi.stubGlobal("fetch", () => (response instanceof Error ? Promise.reject(response) : Promise.resolve(response)));
}

async function all(signal = new AbortController().signal): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of ask({ question: "q" } as Parameters<typeof ask>[0], signal)) events.push(event);
  return events;
}

const failure = (promise: Promise<unknown>): Promise<ApiError> => promise.then(Promise.reject, (error) => error);

test("a stream that ends without done or failed is reported as broken", async () => {
  serve(new Response('event: token\ndata: {"text":"a"}\n\n'));
  expect((await failure(all())).code).toBe("stream_broken");
});

test("a stream that ends with failed is whole", async () => {
  serve(new Response('event: failed\ndata: {"code":"x","message":"y"}\n\n'));
  expect(await all()).toHaveLength(1);
});

test("a problem document gives its code and status", async () => {
  serve(new Response('{"code":"not_found","detail":"gone"}', { status: 404 }));
  expect(await failure(getConversation("c"))).toMatchObject({ code: "not_found", status: 404, message: "gone" });
});

test("an error page that is no JSON is an internal error", async () => {
  serve(new Response("<h1>502</h1>", { status: 502 }));
  expect(await failure(getConversation("c"))).toMatchObject({ code: "internal", status: 502 });
});

test("no connection is offline", async () => {
  serve(new TypeError("Failed to fetch"));
  expect((await failure(all())).code).toBe("offline");
});

test("an abort ends the stream without an error", async () => {
  const controller = new AbortController();
  const endless = new ReadableStream({
    start(stream) {
      controller.signal.addEventListener("abort", () => stream.error(new DOMException("aborted", "AbortError")));
    },
  });
  serve(new Response(endless));
  setTimeout(() => controller.abort(), 10);
  expect(await all(controller.signal)).toEqual([]);
});
