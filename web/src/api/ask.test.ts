import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ask } from "./ask";

const STAGE = 'event: stage\ndata: {"name":"retrieving","passages":0}\n\n';
const TOKEN = 'event: token\ndata: {"text":"Geef "}\n\n';
const DONE = 'event: done\ndata: {"answer":{}}\n\n';

const keys: (string | null)[] = [];

/** Each request gets the next of these, and then the connection ends. */
function answers(...bodies: string[]): void {
  vi.stubGlobal("fetch", async (request: Request) => {
    keys.push(request.headers.get("idempotency-key"));
    return new Response(bodies.shift() ?? "", { headers: { "content-type": "text/event-stream" } });
  });
}

async function asked(signal = new AbortController().signal): Promise<string[]> {
  const found: string[] = [];
  const events = (async () => {
    for await (const event of ask({ question: "x" } as never, signal)) found.push(event.type);
  })();
  const outcome = events.catch((error) => found.push(error.code));
  await vi.runAllTimersAsync();
  await outcome;
  return found;
}

beforeEach(() => {
  vi.useFakeTimers();
  keys.length = 0;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("an answer that broke off before its first word is asked for again, under the same key", async () => {
  answers(STAGE, STAGE + TOKEN + DONE);
  expect(await asked()).toEqual(["stage", "stage", "token", "done"]);
  expect(keys.length).toBe(2);
  expect(keys[0]).toBeTruthy();
  expect(new Set(keys).size).toBe(1);
});

test("an answer that has begun is not asked for again", async () => {
  answers(STAGE + TOKEN, DONE);
  expect(await asked()).toEqual(["stage", "token", "stream_broken"]);
  expect(keys.length).toBe(1);
});

test("it gives up after a few tries", async () => {
  answers();
  expect(await asked()).toEqual(["stream_broken"]);
  expect(keys.length).toBe(3);
});

test("two questions have two keys", async () => {
  answers(DONE, DONE);
  await asked();
  await asked();
  expect(new Set(keys).size).toBe(2);
});
