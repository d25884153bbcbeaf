// A quoted list that is ticked off: its items with boxes, how many are done, and a timer where an item names a time.
import { useRef } from "react";
import { useWardMessages } from "../../i18n";
import { reset, show, startTimer, tick, useTicks, useWatched } from "../../state/conversation/steps";
import type { Item } from "../../text/answer/blocks";
import { durationsIn } from "../../text/answer/durations";
import { Dialled } from "./Dialled";
import "../../styles/answer/steps.css";

interface Props {
  list: string; // which list of which answer; empty: of one that is still written, and cannot be ticked off
  items: readonly Item[];
  language: string; // of the items
}

export function Checklist({ list, items, language }: Props) {
  const m = useWardMessages();
  const { shown, done } = useTicks(list);
  const button = useRef<HTMLButtonElement>(null);
  const startAnew = (): void => {
    reset(list);
    button.current?.focus(); // what was pressed goes
  };
  const ticks = shown && list !== "";
  return (
    <>
      <ul className={`part-list ${ticks ? "ticking" : ""}`}>
        {items.map((item, index) => {
          const { label, text, level } = item;
          const place = { "data-level": Math.min(level, 3), "data-marked": label !== "" || undefined };
          return (
            <li key={index} {...place}>
              {ticks ? (
                <Tick {...{ list, item, index, language }} checked={done.has(index)} />
              ) : (
                <>
                  {label && <span className="label">{label}</span>}
                  <span>
                    <Dialled text={text} />
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {list !== "" && items.length > 1 && (
        <div className="ticks" lang={m.locale}>
          {ticks && (
            <span className="ticked" role="status">
              {m.steps.ticked(done.size, items.length)}
            </span>
          )}
          {ticks && <progress max={items.length} value={done.size} aria-hidden="true" />}
          {ticks && done.size > 0 && (
            <button type="button" className="link" onClick={startAnew}>
              {m.steps.reset}
            </button>
          )}
          <button type="button" className="link" ref={button} onClick={() => show(list, !ticks)}>
            {ticks ? m.steps.whole : m.steps.tick}
          </button>
          {ticks && <p className="muted">{m.steps.kept}</p>}
        </div>
      )}
    </>
  );
}

interface TickProps {
  list: string;
  item: Item;
  index: number;
  language: string;
  checked: boolean;
}

function Tick({ list, item: { label, text }, index, language, checked }: TickProps) {
  const m = useWardMessages();
  const watched = useWatched();
  return (
    <div className="tick">
      <label>
        <input type="checkbox" checked={checked} onChange={(event) => tick(list, index, event.target.checked)} />
        {label && <span className="label">{label}</span>}
        <span className="step">
          <Dialled text={text} />
        </span>
      </label>
      {(watched ? durationsIn(text) : []).map(({ seconds, text: words }) => (
        <button
          key={seconds}
          type="button"
          className="chip"
          lang={m.locale}
          onClick={() => startTimer({ step: text, language, words, seconds })}
        >
          {m.steps.start(words)}
        </button>
      ))}
    </div>
  );
}
