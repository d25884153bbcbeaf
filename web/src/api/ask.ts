// A question and the stream of its answer.
import { call, service } from "./client";
import { ApiError, asApiError } from "./errors";
import { forgetQuestion, keepQuestion } from "./signedOut";
import { Silence } from "./silence";
import { type Message, messages } from "./sse";
import { type AskIn, STREAM_EVENTS, type StreamEvent } from "./types";

const TRIES = 3;
const PAUSES = [500, 2000]; // milliseconds before asking again
const BUSY = 6; // times that the service may say when there is a place

/** Other questions are answered just now: this one is asked again in so many seconds. */
export interface Waits {
  type: "waits";
  seconds: number;
}

/**
 * Ask, and yield what the server sends. Throws ApiError; an abort by `signal` ends it without an
 * error. An answer of which no word has come when the connection breaks is asked for again, under
 * the same key, so that it is stored once; so is one for which there is no place yet, at the time
 * that the service says. `onSilence` hears when nothing comes any more, and when
 * something does again.
 */
export async function* ask(
  body: AskIn,
  signal: AbortSignal,
  onSilence: (silent: boolean) => void = () => undefined,
): AsyncGenerator<StreamEvent | Waits> {
  let busy = 0;
  const key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`; // none without TLS
  for (let tries = 1; ; tries++) {
    let words = false;
    try {
      for await (const event of once(body, key, signal, onSilence, tries > 1)) {
        words ||= event.type === "token";
        yield event;
      }
      return;
    } catch (error) {
      const { code, retryAfter } = asApiError(error);
      if (code === "too_busy" && retryAfter && ++busy < BUSY) {
        yield { type: "waits", seconds: retryAfter };
        await passed(retryAfter * 1000, signal);
        if (signal.aborted) return;
        tries = 0;
        continue;
      }
      if (code !== "stream_broken" || words || tries === TRIES) throw error;
      onSilence(true);
      await passed(PAUSES[tries - 1] ?? 0, signal);
      if (signal.aborted) return;
    }
  }
}

/** Some time has, or nobody waits any more. */
const passed = (milliseconds: number, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", resolve, { once: true });
  });

async function* once(
  body: AskIn,
  key: string,
  signal: AbortSignal,
  onSilence: (silent: boolean) => void,
  silent: boolean,
): AsyncGenerator<StreamEvent> {
  let last: StreamEvent | null = null;
  const silence = new Silence(signal, onSilence, silent);
  try {
    const stream = await open(body, key, silence.signal);
    silence.heard();
    for await (const message of messages(silence.through(stream))) {
      const event = eventOf(message);
      if (!event) continue;
      last = event;
      yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (silence.over) throw new ApiError("stream_broken", "Nothing came any more.");
    throw error instanceof ApiError ? error : new ApiError("stream_broken", String(error));
  } finally {
    silence.end();
  }
  if (last?.type !== "done" && last?.type !== "failed")
    throw new ApiError("stream_broken", "The answer ended too early.");
}

async function open(body: AskIn, key: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const headers = { Accept: "text/event-stream" };
  const params = { header: { "idempotency-key": key } };
  keepQuestion(body.question); // in case nobody is signed in any more
  const stream = await call(service.POST("/ask", { body, headers, params, signal, parseAs: "stream" })).catch(
    (error) => {
      if (asApiError(error).status !== 401) forgetQuestion(); // it may be about a patient
      throw error;
    },
  );
  forgetQuestion();
  if (!stream) throw new ApiError("stream_broken", "The answer came without a body.");
  return stream;
}

/**
 * The one place where what comes is believed to be of its type; null: an event that this page does
 * not know.
 */
function eventOf({ event, data }: Message): StreamEvent | null {
  const type = STREAM_EVENTS.find((name) => name === event);
  return type ? { type, data: JSON.parse(data) } : null;
}
