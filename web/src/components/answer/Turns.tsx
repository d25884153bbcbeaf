// The questions of a conversation with their answers.
import { Fragment, type ReactNode } from "react";
import type { Answer, PersonalChoice } from "../../api/types";
import type { Conversation } from "../../state/conversation/conversation";
import type { OpenSource } from "../../state/conversation/useOpened";
import { Turn } from "./Turn";

interface Props {
  conversation: Conversation;
  source: OpenSource;
  onAsk(question: string, mode?: null, literal?: boolean): void;
  onEdit?(question: string): void; // into the question box
  onPersonal(question: string, personal: PersonalChoice): void;
  onWhole?(question: string, document: string): void;
  feedback?: boolean; // whether the reader is asked what they think of an answer
  under?(answer: Answer): ReactNode; // what stands under a whole answer
}

/** What the address of one answer in its conversation ends in. */
export const turnId = (answer: string): string => `a-${answer}`;

export function Turns({ conversation: { turns, opened }, source, onAsk, under, ...rest }: Props) {
  const latest = turns.at(-1)?.key;
  return turns.map(({ key, state }) => (
    <Fragment key={key}>
      <Turn
        id={turnId(key)}
        state={state}
        opened={opened?.turn === key ? opened : null}
        latest={key === latest}
        {...rest}
        onOpen={(rank, span) => source.openSource(key, rank, span)}
        onAgain={onAsk}
        onLiteral={(question) => onAsk(question, null, true)}
      />
      {state.kind === "complete" && under?.(state.answer)}
    </Fragment>
  ));
}
