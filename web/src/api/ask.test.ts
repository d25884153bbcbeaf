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

/** A connection that says `first` and then nothing until `later` milliseconds have passed. */
function falters(first: string, later: number, then: string): void {
  const text = new TextEncoder();
  vi.stubGlobal("fetch", async (request: Request) => {
    keys.push(request.headers.get("idempotency-key"));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(text.encode(first));
        const timer = setTimeout(() => {
          controller.enqueue(text.encode(then));
          controller.close();
        }, later);
        request.signal.addEventListener("abort", () => {
          clearTimeout(timer);
          controller.error(new DOMException("aborted", "AbortError"));
        });
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
}

/** What its reader sees, with the second at which silence is said to begin and to end. */
async function heard(): Promise<string[]> {
  const began = Date.now();
  const found: string[] = [];
  const say = (silent: boolean) => found.push(`${silent ? "silent" : "heard"} ${(Date.now() - began) / 1000}`);
  const events = (async () => {
    for await (const event of ask({ question: "x" } as never, new AbortController().signal, say))
      found.push(event.type);
  })();
  const outcome = events.catch((error) => found.push(error.code));
  await vi.runAllTimersAsync();
  await outcome;
  return found;
}

test("silence is told within five seconds, and what comes after it is taken", async () => {
  falters(STAGE, 8000, TOKEN + DONE);
  expect(await heard()).toEqual(["stage", "silent 4.5", "heard 8", "token", "done"]);
  expect(keys.length).toBe(1);
});

test("a short silence is not worth a word", async () => {
  falters(STAGE, 4000, TOKEN + DONE);
  expect(await heard()).toEqual(["stage", "token", "done"]);
});

test("a connection that stays silent is given up, and the question asked again under its key", async () => {
  falters(STAGE, 60_000, DONE);
  const found = await heard();
  expect(found.slice(0, 2)).toEqual(["stage", "silent 4.5"]);
  expect(found.at(-1)).toBe("stream_broken");
  expect(keys.length).toBe(3);
  expect(new Set(keys).size).toBe(1);
});

test("a connection that breaks before the first word is told at once", async () => {
  answers(STAGE, DONE);
  expect(await heard()).toEqual(["stage", "silent 0", "heard 0.5", "done"]);
});

test("a question for which there is no place yet is asked again when the service says, and not for ever", async () => {
  const busy = () => new Response('{"code":"too_busy","detail":"d"}', { status: 429, headers: { "Retry-After": "3" } });
  const asks: number[] = [];
  const from = (places: number) => async () => {
    asks.push(Date.now());
    return asks.length < places
      ? busy()
      : new Response(STAGE + TOKEN + DONE, { headers: { "content-type": "text/event-stream" } });
  };
  vi.stubGlobal("fetch", from(3));
  expect(await asked()).toEqual(["waits", "waits", "stage", "token", "done"]);
  expect(asks.map((at) => at - (asks[0] ?? 0))).toEqual([0, 3000, 6000]);
  asks.length = 0;
  vi.stubGlobal("fetch", from(100));
  expect(await asked()).toEqual(["waits", "waits", "waits", "waits", "waits", "too_busy"]);
});
