// A conversation: its questions in order, and which source lies open beside them. Pure.
import type { ConversationDetail, Since } from "../../api/types";
import {
  type AnswerEvent,
  type AnswerState,
  asked,
  isHeldUp,
  isRefused,
  recalled,
  reduceAnswer,
  toldSince,
  view,
} from "./answer";

export interface Turn {
  key: string;
  state: AnswerState;
}

/**
 * The open source. `chosen` is true when the reader opened it: then the answer's arrival leaves it
 * alone.
 */
export interface Opened {
  turn: string;
  rank: number;
  highlight: string | null; // key of one of the source's highlights; null: its first
  chosen: boolean;
}

export interface Conversation {
  id: string | null;
  title?: string; // of one that was loaded
  turns: Turn[];
  opened: Opened | null;
}

export type ConversationEvent =
  | { type: "new" }
  | { type: "loaded"; detail: ConversationDetail; named?: string } // named: how its address ends
  | { type: "asked"; turn: string; question: string; at: number }
  | { type: "answer"; turn: string; event: AnswerEvent; at: number }
  | { type: "since"; answers: Record<string, Since[]> } // what became of their documents, by answer
  | { type: "open"; turn: string; rank: number; highlight: string | null }
  | { type: "close" };

/** What the address of one answer in its conversation ends in. */
export const turnId = (answer: string): string => `a-${answer}`;

export const EMPTY: Conversation = { id: null, turns: [], opened: null };

export function reduceConversation(state: Conversation, event: ConversationEvent): Conversation {
  switch (event.type) {
    case "new":
      return EMPTY;
    case "loaded":
      return openFirst(load(event.detail), event.named);
    case "asked":
      return {
        ...state,
        turns: [
          ...state.turns.filter(({ state: one }) => !isHeldUp(one)),
          { key: event.turn, state: asked(event.question, event.at) },
        ],
        opened: null,
      };
    case "answer":
      return answered(state, event);
    case "since":
      return {
        ...state,
        turns: state.turns.map((one) => {
          const told = toldSince(one.state, event.answers);
          return told === one.state ? one : { ...one, state: told };
        }),
      };
    case "open":
      return { ...state, opened: { turn: event.turn, rank: event.rank, highlight: event.highlight, chosen: true } };
    case "close":
      return { ...state, opened: null };
  }
}

/**
 * Which answer lacked something, if the last one did: it failed, or had to do without the
 * generator. 0: none.
 */
export function lackingIn({ turns }: Conversation): number {
  const last = turns.at(-1)?.state;
  if (!last) return 0;
  const lacks = last.kind === "failed" || view(last).notices.some(({ code }) => code === "generator_down");
  return lacks ? turns.length : 0;
}

function load(detail: ConversationDetail): Conversation {
  const turns = detail.answers.map((answer) => ({ key: answer.id, state: recalled(answer) }));
  return { id: detail.id, title: detail.title, turns, opened: null };
}

function answered(
  state: Conversation,
  { turn, event, at }: Extract<ConversationEvent, { type: "answer" }>,
): Conversation {
  const turns = state.turns.map((one) =>
    one.key === turn ? { ...one, state: reduceAnswer(one.state, event, at) } : one,
  );
  const id = event.type === "found" ? event.data.conversation_id : state.id;
  const next = { ...state, id, turns };
  return event.type === "found" || event.type === "cited" || event.type === "done" ? openFirst(next) : next;
}

/**
 * Opens the source of an answer's first copied words; before any are known, its first source; of a
 * refusal none. The answer: the last one, or the one that is named, so that no other answer's
 * source stands beside it.
 */
function openFirst(state: Conversation, named?: string): Conversation {
  const told = state.turns.find(({ key }) => `#${turnId(key)}` === named) ?? state.turns.at(-1);
  if (!told || state.opened?.chosen) return state;
  if (isRefused(told.state)) return { ...state, opened: null };
  const { sources, spans } = view(told.state);
  const rank = spans[0]?.rank ?? sources[0]?.rank;
  if (rank === undefined || !sources.some((source) => source.rank === rank)) return { ...state, opened: null };
  if (state.opened?.turn === told.key && state.opened.rank === rank) return state; // its reader asks for nothing anew
  return { ...state, opened: { turn: told.key, rank, highlight: null, chosen: false } };
}
