// The open source with its marked places, and the ways to move between places and sources.
import { type Dispatch, useCallback, useMemo } from "react";
import type { Span } from "../../api/types";
import { highlightsOf, indexOf, spanKey } from "../../pdf/highlights";
import { useBackCloses } from "../window/useBackCloses";
import { useNarrow } from "../window/useNarrow";
import { isRefused, view } from "./answer";
import type { Conversation, ConversationEvent } from "./conversation";

const NOTHING = { sources: [], spans: [] };

export function useOpened(conversation: Conversation, dispatch: Dispatch<ConversationEvent>) {
  const { turns, opened } = conversation;
  const narrow = useNarrow();
  const state = turns.find((turn) => turn.key === opened?.turn)?.state;
  const { sources, spans } = useMemo(() => (state ? view(state) : NOTHING), [state]);
  const source = sources.find((one) => one.rank === opened?.rank);
  const refused = state !== undefined && isRefused(state);
  const highlights = useMemo(() => (source ? highlightsOf(source, spans, refused) : []), [source, spans, refused]);

  const openSource = useCallback(
    (turn: string, rank: number, span?: Span) =>
      dispatch({ type: "open", turn, rank, highlight: span ? spanKey(span) : null }),
    [dispatch],
  );
  const close = useCallback(() => dispatch({ type: "close" }), [dispatch]);
  const current = opened ? indexOf(highlights, opened.highlight, opened.rank) : 0;
  const moveSource = (step: 1 | -1): void => moveAmongSources(conversation, step, openSource);
  const movePlace = (step: 1 | -1): void => {
    const next = highlights[(current + step + highlights.length) % highlights.length];
    if (opened && next && highlights.length > 1) dispatch({ type: "open", ...opened, highlight: next.key });
  };

  // Where it would cover the answer, only what the reader opened is shown.
  const shown =
    source && opened && (opened.chosen || !narrow) ? { source, highlights, current, wish: opened, over: narrow } : null;
  const over = shown?.over ?? false;
  useBackCloses(over, close);
  return { shown, over, openSource, close, moveSource, movePlace };
}

export type OpenSource = ReturnType<typeof useOpened>;

/**
 * To the next or previous source of the answer whose source is open, of the last answer when none
 * is.
 */
function moveAmongSources(
  { turns, opened }: Conversation,
  step: 1 | -1,
  open: (turn: string, rank: number) => void,
): void {
  const turn = turns.find((one) => one.key === opened?.turn) ?? turns.at(-1);
  if (!turn) return;
  const ranks = view(turn.state).sources.map((source) => source.rank);
  const at = ranks.indexOf(opened?.rank ?? Number.NaN);
  const rank = ranks[(at + step + ranks.length) % ranks.length];
  if (rank !== undefined) open(turn.key, rank);
}
