// @vitest-environment node `npm run dev`: the page is served from its sources, and the service
// behind it answers at BEDSIDE_API, streams included.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";

const portOf = (server: { address(): AddressInfo | string | null } | null): number => {
  const address = server?.address();
  if (!address || typeof address === "string") throw new Error("the server has no port");
  return address.port;
};

test("an event of an answer comes through before the next one is sent", async () => {
  let answer: ServerResponse | undefined;
  const service = createServer((_, response) => {
    answer = response.writeHead(200, { "Content-Type": "text/event-stream" });
    answer.write("event: stage\ndata: {}\n\n");
  });
  await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
  vi.stubEnv("BEDSIDE_API", `http://127.0.0.1:${portOf(service)}`);
  const vite = await import("vite");
  const page = await vite.createServer({
    logLevel: "silent",
    server: { host: "127.0.0.1", port: 0, ws: false, watch: null },
  });
  try {
    await page.listen(0);
    const response = await fetch(`http://127.0.0.1:${portOf(page.httpServer)}/api/ask`, { method: "POST" });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("event: stage\ndata: {}\n\n");
    answer?.end("event: done\ndata: {}\n\n");
    expect((await reader?.read())?.value).toBe("event: done\ndata: {}\n\n");
  } finally {
    await page.close();
    service.close();
    vi.unstubAllEnvs();
  }
});
