// Joins the pure conversation to the service: asks, streams, stops, loads.
import { useCallback, useEffect, useReducer, useRef } from "react";
import { ask } from "../../api/ask";
import { type ApiError, asApiError } from "../../api/errors";
import type { FoundEvent, Mode, PersonalChoice } from "../../api/types";
import { useLanguage } from "../../i18n";
import { getConversation } from "../../queries/conversations";
import { asRequest, UNSAID } from "../scope";
import type { AnswerEvent } from "./answer";
import { EMPTY, reduceConversation } from "./conversation";

let made = 0;

const PAUSE = 1000; // milliseconds: a connection that broke is often back by then

/**
 * The service may have finished and stored an answer whose stream broke: then that one is shown,
 * else the failure.
 */
async function recover(begun: FoundEvent | null, error: ApiError): Promise<AnswerEvent> {
  const { code, rows, instead, retryAfter } = error;
  if (begun && code === "stream_broken") {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const stored = await getConversation(begun.conversation_id).catch(() => null);
    const answer = stored?.answers.find((one) => one.id === begun.answer_id);
    if (answer) return { type: "done", data: { answer } };
  }
  return { type: "broken", code, refusal: { rows, instead, retryAfter } };
}

export function useConversation(onError: (code: string) => void) {
  const [conversation, dispatch] = useReducer(reduceConversation, EMPTY);
  const { language } = useLanguage();
  const running = useRef<AbortController | null>(null);
  const underWay = useRef(""); // what is asked
  const id = useRef<string | null>(null);
  id.current = conversation.id;

  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const send = useCallback(
    async (
      question: string,
      mode: Mode | null,
      literal = false,
      scope = UNSAID,
      personal: PersonalChoice = "stop",
      whole = "", // id of the document that is read whole
    ): Promise<void> => {
      const words = JSON.stringify([question, mode, literal, scope, personal, whole]);
      if (words === underWay.current && running.current?.signal.aborted === false) return; // pressed twice
      underWay.current = words;
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const turn = `turn-${++made}`;
      const tell = (event: AnswerEvent): void => dispatch({ type: "answer", turn, event, at: Date.now() });
      dispatch({ type: "asked", turn, question, at: Date.now() });
      let begun: FoundEvent | null = null;
      try {
        for await (const event of ask(
          {
            ...{ question, mode, literal, personal_data: personal, conversation_id: id.current },
            ...{ whole_document: whole || null, notices_in: language, ...asRequest(scope) },
          },
          controller.signal,
          (silent) => tell({ type: "silence", silent }),
        )) {
          if (event.type === "found") begun = event.data;
          tell(event);
        }
      } catch (error) {
        tell(await recover(begun, asApiError(error)));
      }
      if (controller.signal.aborted) tell({ type: "stopped" });
      if (running.current === controller) running.current = null;
    },
    [language],
  );

  const load = useCallback(
    async (wanted: string): Promise<void> => {
      running.current?.abort();
      try {
        dispatch({ type: "loaded", detail: await getConversation(wanted), named: location.hash });
      } catch (error) {
        dispatch({ type: "new" });
        const { code, status } = asApiError(error);
        onError(status === 422 ? "not_found" : code); // an address that is no id names no conversation
      }
    },
    [onError],
  );

  const reset = useCallback(() => {
    running.current?.abort();
    dispatch({ type: "new" });
  }, []);

  return { conversation, dispatch, send, stop, load, reset };
}
