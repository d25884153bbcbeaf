import { onlineManager, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newQueryClient } from "./client";
import { useConversations } from "./conversations";
import { useDescribe, useDocuments } from "./staff/documents";
import { useJudgedSet, useJudgedSets, useWriteQuestion } from "./staff/judged";

let asked: string[];
let answers: Record<string, unknown>;
let root: Root;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  [asked, answers] = [[], {}];
  vi.stubGlobal("fetch", async ({ method, url }: Request) => {
    const request = `${method} ${new URL(url).pathname.replace("/api", "")}`;
    asked.push(request);
    if (!(request in answers)) throw new TypeError("Failed to fetch");
    return Response.json(answers[request]);
  });
  root = createRoot(document.createElement("div"));
});

afterEach(() => {
  onlineManager.setOnline(true);
  act(() => root.unmount());
  vi.unstubAllGlobals();
});

/**
 * Uses the hooks in a component; the function that is returned gives what they gave last, and may
 * use them anew.
 */
async function using<Given, Result>(hooks: (given: Given) => Result, first: Given) {
  const client = newQueryClient();
  let last: Result;
  const Probe = ({ given }: { given: Given }) => {
    last = hooks(given);
    return null;
  };
  const render = async (given: Given): Promise<void> => {
    await act(async () => root.render(<QueryClientProvider client={client} children={<Probe given={given} />} />));
    await settled();
  };
  await render(first);
  return { now: () => last, render };
}

const settled = (): Promise<void> => act(async () => void (await new Promise((resolve) => setTimeout(resolve, 20))));

test("what cannot be fetched is asked for once, and its error has a code, also when the browser thinks itself offline", async () => {
  onlineManager.setOnline(false);
  const { now } = await using(useJudgedSets, undefined);
  expect(now().error?.code).toBe("offline");
  expect(asked).toEqual(["GET /judged"]);
});

test("a question that is written shows in its set and in the list of sets", async () => {
  Object.assign(answers, { "GET /judged": { sets: [] }, "GET /judged/r": {}, "PUT /judged/r/questions/a%2F1": {} });
  const hooks = () => [useJudgedSets(), useJudgedSet("r"), useWriteQuestion("r", "a/1")] as const;
  const { now } = await using(hooks, undefined);
  asked.length = 0;
  const question = { language: "nl", function: "", department: "", conversation: "", note: "" } as const;
  await act(() => now()[2].mutateAsync({ ...question, question: "?", places: [], no_answer: true }));
  await settled();
  expect(asked.sort()).toEqual(["GET /judged", "GET /judged/r", "PUT /judged/r/questions/a%2F1"]);
});

test("a document that is described keeps its place in the list, which is not fetched again", async () => {
  const documents = ["a", "b"].map((id) => ({ id, title: id }));
  Object.assign(answers, { "GET /documents": { documents, total: 2 }, "PATCH /documents/a": { id: "a", title: "Z" } });
  const { now } = await using(
    () =>
      [useDocuments({ search: "", shown: "", department: "", owner: null, order: "title" }), useDescribe("a")] as const,
    undefined,
  );
  await act(() => now()[1].mutateAsync({ title: "Z", reset: [] }));
  await settled();
  expect(now()[0].data?.pages[0]?.documents.map(({ title }) => title)).toEqual(["Z", "b"]);
  expect(asked).toEqual(["GET /documents", "PATCH /documents/a"]);
});

test("earlier conversations are fetched each time that they are shown", async () => {
  Object.assign(answers, { "GET /conversations": { conversations: [], total: 0 } });
  const { render } = await using<boolean, unknown>(useConversations, false);
  expect(asked).toHaveLength(0);
  for (const shown of [true, false, true]) await render(shown);
  expect(asked).toEqual(["GET /conversations", "GET /conversations"]);
});
