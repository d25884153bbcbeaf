import { describe, expect, test } from "vitest";
import type { FoundEvent } from "../../api/types";
import { answer, source, span } from "../../testing/answers";
import { type AnswerEvent, type AnswerState, asked, reduceAnswer, view } from "./answer";
import { type Conversation, EMPTY, reduceConversation } from "./conversation";

const found: FoundEvent = {
  answer_id: "a1",
  conversation_id: "c1",
  query: "",
  status: "answered",
  language: "nl",
  sources: [source(1), source(2)],
  notices: [],
};

const run = (events: AnswerEvent[]): AnswerState =>
  events.reduce((state, event, index) => reduceAnswer(state, event, (index + 1) * 100), asked("dosis?", 0));

describe("an answer", () => {
  test("says what was searched for as soon as it is known, and until then what was asked", () => {
    expect(view(run([])).query).toBe("dosis?");
    expect(view(run([{ type: "found", data: found }])).query).toBe("dosis?");
    expect(view(run([{ type: "found", data: { ...found, query: "paracetamol dosis?" } }])).query).toBe(
      "paracetamol dosis?",
    );
  });

  test("grows by its tokens and its cited spans", () => {
    const state = run([
      { type: "found", data: found },
      { type: "token", data: { text: "Geef " } },
      { type: "token", data: { text: "15 mg" } },
      { type: "cited", data: { span: span(0, "Geef 15 mg") } },
    ]);
    expect(view(state)).toMatchObject({
      text: "Geef 15 mg",
      spans: [{ start: 0 }],
      sources: [{ rank: 1 }, { rank: 2 }],
    });
  });

  test("keeps the time of every stage that ended", () => {
    const state = run([
      { type: "stage", data: { name: "retrieving", passages: 0 } },
      { type: "stage", data: { name: "reading", passages: 3 } },
      { type: "stage", data: { name: "reading", passages: 4 } },
      { type: "stage", data: { name: "writing", passages: 0 } },
    ]);
    expect(state).toMatchObject({
      stage: "writing",
      past: [
        { name: "sending", milliseconds: 100 },
        { name: "retrieving", milliseconds: 100 },
        { name: "reading", milliseconds: 200 },
      ],
    });
  });

  test("says that nothing comes any more while that lasts", () => {
    const silent: AnswerEvent = { type: "silence", silent: true };
    expect(run([silent])).toMatchObject({ kind: "working", silent: true });
    expect(run([silent, { type: "silence", silent: false }])).toMatchObject({ silent: false });
    expect(run([{ type: "stopped" }, silent]).kind).toBe("stopped");
  });

  test("is what the server stored once it is done", () => {
    const stored = answer({ answer: "Geef 15 mg" });
    expect(
      run([
        { type: "token", data: { text: "Geef" } },
        { type: "done", data: { answer: stored } },
      ]),
    ).toEqual({
      kind: "complete",
      answer: stored,
      milliseconds: 200,
    });
  });

  test.each<[AnswerEvent, AnswerState["kind"]]>([
    [{ type: "stopped" }, "stopped"],
    [{ type: "failed", data: { code: "x", message: "", answer: null } }, "failed"],
    [{ type: "broken", code: "offline" }, "failed"],
  ])("keeps what had arrived when it ends early by %o", (event, kind) => {
    const state = run([{ type: "found", data: found }, { type: "token", data: { text: "Geef" } }, event]);
    expect(state.kind).toBe(kind);
    expect(view(state)).toMatchObject({ text: "Geef", sources: [{ rank: 1 }, { rank: 2 }] });
  });

  test("that has ended stays as it is, whatever comes late", () => {
    const state = run([{ type: "stopped" }]);
    expect(reduceAnswer(state, { type: "token", data: { text: "te laat" } }, 9)).toBe(state);
  });
});

describe("a conversation", () => {
  const begin = (): Conversation => reduceConversation(EMPTY, { type: "asked", turn: "t1", question: "dosis?", at: 0 });
  const tell = (state: Conversation, event: AnswerEvent): Conversation =>
    reduceConversation(state, { type: "answer", turn: "t1", event, at: 1 });

  test("takes its id from the server and opens the first source as soon as it is found", () => {
    expect(tell(begin(), { type: "found", data: found })).toMatchObject({
      id: "c1",
      opened: { rank: 1, chosen: false },
    });
  });

  test("moves to the source that the answer copied from", () => {
    const cited = span(0, "a", { rank: 2 });
    const state = tell(tell(begin(), { type: "found", data: found }), { type: "cited", data: { span: cited } });
    expect(state.opened?.rank).toBe(2);
  });

  test("leaves a source that the reader opened alone", () => {
    const open = reduceConversation(tell(begin(), { type: "found", data: found }), {
      type: "open",
      turn: "t1",
      rank: 2,
      highlight: null,
    });
    expect(tell(open, { type: "done", data: { answer: answer() } }).opened).toMatchObject({ rank: 2, chosen: true });
  });

  test("opens nothing for a refusal, when it comes and when it is opened again later", () => {
    const refused = answer({ status: "not_found" });
    const state = tell(begin(), { type: "found", data: { ...found, status: "not_found" } });
    expect(state.opened).toBeNull();
    expect(tell(state, { type: "done", data: { answer: refused } }).opened).toBeNull();
    const detail = { id: "c9", title: "", created_at: "", updated_at: "", pinned: false, answers: [refused] };
    expect(reduceConversation(EMPTY, { type: "loaded", detail }).opened).toBeNull();
  });

  test("opens nothing when nothing was found", () => {
    expect(tell(begin(), { type: "found", data: { ...found, sources: [] } }).opened).toBeNull();
  });

  test("loaded by its address shows its last answer's first cited source", () => {
    const answers = [answer({ id: "a1" }), answer({ id: "a2", spans: [span(0, "x", { rank: 2 })] })];
    const detail = { id: "c9", title: "", created_at: "", updated_at: "", pinned: false, answers };
    expect(reduceConversation(EMPTY, { type: "loaded", detail })).toMatchObject({
      id: "c9",
      turns: [{ key: "a1" }, { key: "a2" }],
      opened: { turn: "a2", rank: 2 },
    });
  });

  test("loaded at one of its answers shows that one's source", () => {
    const answers = [answer({ id: "a1", spans: [span(0, "x", { rank: 2 })] }), answer({ id: "a2" })];
    const detail = { id: "c9", title: "", created_at: "", updated_at: "", pinned: false, answers };
    const state = reduceConversation(EMPTY, { type: "loaded", detail, named: "#a-a1" });
    expect(state.opened).toMatchObject({ turn: "a1", rank: 2 });
    const refused = { ...detail, answers: [answer({ id: "a1", status: "not_found" }), answer({ id: "a2" })] };
    expect(reduceConversation(EMPTY, { type: "loaded", detail: refused, named: "#a-a1" }).opened).toBeNull();
  });
});

test("what becomes of a document is said at the answers that stand there, and no longer when it counts again", () => {
  const answers = [answer({ id: "a1", sources: [source(1, { valid_from: "2026-01-01" })] }), answer({ id: "a2" })];
  const detail = { id: "c9", title: "", created_at: "", updated_at: "", pinned: false, answers };
  const before = reduceConversation(EMPTY, { type: "loaded", detail });
  const ended = { document_id: "d1", title: "Document 1", language: "nl", withdrawn: true, reason: "", newer: null };
  const after = reduceConversation(before, { type: "since", answers: { a1: [ended], a2: [] } });
  expect(after.turns.map(({ state }) => view(state).since)).toEqual([[ended], []]);
  expect(after.turns.map(({ state }) => view(state).sources[0]?.valid_from)).toEqual([null, null]);
  expect(after.turns[1]).toBe(before.turns[1]);
  expect(reduceConversation(after, { type: "since", answers: {} }).turns.map(({ state }) => view(state).since)).toEqual(
    [[ended], []],
  );
  const again = reduceConversation(after, { type: "since", answers: { a1: [], a2: [] } });
  expect(again.turns.map(({ state }) => view(state).since)).toEqual([[], []]);
  expect(again.turns.map(({ state }) => view(state).sources[0]?.valid_from)).toEqual(["2026-01-01", null]);
});

describe("a question that was held up", () => {
  const refusal = { rows: [], instead: "[…]?", retryAfter: 0 };
  const held = (code: string): Conversation => {
    const asks = reduceConversation(EMPTY, { type: "asked", turn: "1", question: "Jan Peeters?", at: 0 });
    const event = { type: "broken", code, refusal } as const;
    return reduceConversation(asks, { type: "answer", turn: "1", event, at: 1 });
  };

  test.each(["personal_data", "personal_data_refused", "too_busy", "too_many_requests"])("%s stands once", (code) => {
    const again = reduceConversation(held(code), { type: "asked", turn: "2", question: "[…]?", at: 2 });
    expect(again.turns.map(({ key }) => key)).toEqual(["2"]);
  });

  test("one that failed otherwise stays", () => {
    const again = reduceConversation(held("internal"), { type: "asked", turn: "2", question: "x", at: 2 });
    expect(again.turns.map(({ key }) => key)).toEqual(["1", "2"]);
  });
});
