import { afterEach, expect, test, vi } from "vitest";
import { ask, type Waits } from "./ask";
import { address, call, done, service } from "./client";
import type { ApiError } from "./errors";
import type { StreamEvent } from "./types";

const QUESTION = { question: "q", literal: false, personal_data: "stop" as const };

afterEach(() => {
  vi.unstubAllGlobals();
});

function serve(response: Response | Error): void {
  vi.stubGlobal("fetch", () => (response instanceof Error ? Promise.reject(response) : Promise.resolve(response)));
}

async function all(signal = new AbortController().signal): Promise<(StreamEvent | Waits)[]> {
  const events: (StreamEvent | Waits)[] = [];
  for await (const event of ask(QUESTION, signal)) events.push(event);
  return events;
}

const conversation = (id: string) =>
  call(service.GET("/conversations/{conversation_id}", { params: { path: { conversation_id: id } } }));

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
  expect(await failure(conversation("c"))).toMatchObject({ code: "not_found", status: 404, message: "gone" });
});

test("a refusal carries what was seen, the question without it, and how long to wait", async () => {
  const body = {
    code: "personal_data",
    detail: "d",
    instead: "[…]?",
    errors: [{ where: "q", what: "w", code: "name" }],
  };
  serve(new Response(JSON.stringify(body), { status: 422 }));
  expect(await failure(all())).toMatchObject({ code: "personal_data", instead: "[…]?", rows: [{ code: "name" }] });
  serve(new Response('{"code":"too_many_requests","detail":"d"}', { status: 429, headers: { "Retry-After": "3" } }));
  expect(await failure(all())).toMatchObject({ code: "too_many_requests", retryAfter: 3 });
});

test("an error page that is no JSON is an internal error", async () => {
  serve(new Response("<h1>502</h1>", { status: 502 }));
  expect(await failure(conversation("c"))).toMatchObject({ code: "internal", status: 502 });
});

test("no connection is offline", async () => {
  serve(new TypeError("Failed to fetch"));
  expect((await failure(all())).code).toBe("offline");
  expect((await failure(conversation("c"))).code).toBe("offline");
});

test("what is no JSON, or nothing, where something was promised is an internal error", async () => {
  serve(new Response("<h1>a proxy's page</h1>"));
  expect((await failure(conversation("c"))).code).toBe("internal");
  serve(new Response(null, { status: 204 }));
  expect((await failure(conversation("c"))).code).toBe("internal");
});

test("what is wrong row by row comes with the error", async () => {
  const errors = [{ where: "line 4", what: "page is none", code: "bad_page", values: { value: "drie" } }, "no row"];
  serve(new Response(JSON.stringify({ code: "invalid_input", detail: "bad", errors }), { status: 400 }));
  expect((await failure(conversation("c"))).rows).toEqual(errors.slice(0, 1));
});

test("a deletion has no answer but that it is done", async () => {
  serve(new Response(null, { status: 204 }));
  await expect(
    done(service.DELETE("/conversations/{conversation_id}", { params: { path: { conversation_id: "c" } } })),
  ).resolves.toBeUndefined();
});

test("names go into an address as they are, whatever is in them", async () => {
  const fetched = vi.fn(() => Promise.resolve(Response.json({})));
  vi.stubGlobal("fetch", fetched);
  await conversation("a/b ?#1");
  expect(fetched).toHaveBeenCalledWith(
    expect.objectContaining({ url: expect.stringMatching(/\/api\/conversations\/a%2Fb%20%3F%231$/) }),
  );
  expect(address("/judged/{name}/csv", { path: { name: "ronde 1" } })).toBe("/api/judged/ronde%201/csv");
  expect(address("/gaps.csv", { query: { department: "" } })).toBe("/api/gaps.csv?department=");
  expect(address("/gaps.csv", {})).toBe("/api/gaps.csv");
});

test("an event that this page does not know is passed over", async () => {
  serve(new Response('event: hint\ndata: {}\n\nevent: failed\ndata: {"code":"x","message":"y"}\n\n'));
  expect((await all()).map((event) => event.type)).toEqual(["failed"]);
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
