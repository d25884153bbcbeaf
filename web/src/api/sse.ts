// Server-sent events from a fetch body. Knows the wire format, not what the events mean.

export interface Message {
  event: string;
  data: string;
}

/**
 * Yields the messages of a stream in order. A last message without its closing blank line is
 * dropped, as the standard says.
 */
export async function* messages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let buffer = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      buffer += decoder.decode(value, { stream: true });
      // A carriage return at the very end may be the first half of a line end: it waits for the
      // next bytes.
      const lines = buffer.split(/\r\n|\n|\r(?!$)/);
      const blank = lines.lastIndexOf("", lines.length - 2);
      if (blank < 0) continue;
      buffer = lines.slice(blank + 1).join("\n");
      yield* parse(lines.slice(0, blank + 1));
    }
  } finally {
    // Ends the request when the reader of this stream stops early.
    await reader.cancel().catch(() => undefined);
  }
}

function* parse(lines: string[]): Generator<Message> {
  let event = "message";
  let data: string[] = [];
  for (const line of lines) {
    if (line === "") {
      if (data.length > 0) yield { event, data: data.join("\n") };
      event = "message";
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") data.push(value);
  }
}
