import { expect, test } from "vitest";
import { type Message, messages } from "./sse";

function body(...chunks: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
      controller.close();
    },
  });
}

async function read(...chunks: (string | Uint8Array)[]): Promise<Message[]> {
  const found: Message[] = [];
  for await (const message of messages(body(...chunks))) found.push(message);
  return found;
}

test("messages arrive in order with their names", async () => {
  expect(await read("event: stage\ndata: {}\n\nevent: token\ndata: 1\n\n")).toEqual([
    { event: "stage", data: "{}" },
    { event: "token", data: "1" },
  ]);
});

test("a message may be cut anywhere, even inside a letter", async () => {
  const bytes = new TextEncoder().encode("event: token\r\ndata: 20 µg é 😀\r\n\r\nevent: done\r\ndata: x\r\n\r\n");
  for (let size = 1; size <= 7; size++) {
    const chunks = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
    expect(await read(...chunks)).toEqual([
      { event: "token", data: "20 µg é 😀" },
      { event: "done", data: "x" },
    ]);
  }
});

test("lines of data are joined, comments and an unfinished message are dropped", async () => {
  expect(await read(": ping\n\ndata: a\ndata: b\n\nevent: token\ndata: lost")).toEqual([
    { event: "message", data: "a\nb" },
  ]);
});
