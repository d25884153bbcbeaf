// The questions of a conversation with their answers.
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import type { Answer, PersonalChoice } from "../../api/types";
import { type Conversation, turnId } from "../../state/conversation/conversation";
import type { OpenSource } from "../../state/conversation/useOpened";
import { Stretch } from "./Stretch";
import { Turn } from "./Turn";

interface Props {
  conversation: Conversation;
  source: OpenSource;
  onAsk(question: string, mode?: null, literal?: boolean): void;
  onEdit?(question: string, literal?: boolean): void; // into the question box
  onPersonal(question: string, personal: PersonalChoice): void;
  onWhole?(question: string, document: string): void;
  feedback?: boolean; // whether the reader is asked what they think of an answer
  under?(answer: Answer): ReactNode; // what stands under a whole answer
}

const LENGTH = 10; // turns of a stretch

/** A conversation of so many is drawn whole; of a longer one its end and its beginning always. */
const SHORT = 20;

export function Turns({ conversation: { turns, opened }, source, onAsk, under, ...rest }: Props) {
  const latest = turns.at(-1)?.key;
  const printing = usePrinting();
  const draw = ({ key, state }: Conversation["turns"][number], far: boolean): ReactNode => (
    <Fragment key={key}>
      <Turn
        id={turnId(key)}
        far={far}
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
  );
  return Array.from({ length: Math.ceil(turns.length / LENGTH) }, (_, index) => {
    const start = index * LENGTH;
    const own = turns.slice(start, start + LENGTH);
    const named = own.some(({ key }) => `#${turnId(key)}` === location.hash); // gone to once it is drawn
    const always = printing || named || start === 0 || start + LENGTH > turns.length - SHORT;
    return <Stretch key={start} turns={own} {...{ always, draw }} />;
  });
}

const AROUND = ["beforeprint", "afterprint"];

/** A print of all of them holds every turn whole, and is made as soon as this has heard of it. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const set = ({ type }: Event): void => {
      const all = type === "beforeprint" && !document.querySelector("[data-alone]");
      flushSync(() => setPrinting(all));
    };
    for (const type of AROUND) addEventListener(type, set);
    return () => {
      for (const type of AROUND) removeEventListener(type, set);
    };
  }, []);
  return printing;
}
