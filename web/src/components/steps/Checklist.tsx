// A quoted list that is ticked off.
import { useWardMessages } from "../../i18n";
import { tick, useTicks } from "../../state/conversation/steps";
import type { Item } from "../../text/answer/blocks";
import { Dialled } from "./Dialled";
import { StartTimers, type Steps, TicksFoot } from "./Ticks";

interface Props extends Steps {
  items: readonly Item[];
}

export function Checklist({ items, ...steps }: Props) {
  const { list, language } = steps;
  const m = useWardMessages();
  const { shown, done } = useTicks(list);
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
      {list !== "" && items.length > 1 && <TicksFoot {...steps} count={items.length} whole={m.steps.whole} />}
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

const Tick = ({ list, item: { label, text }, index, language, checked }: TickProps) => (
  <div className="tick">
    <label>
      <input type="checkbox" checked={checked} onChange={(event) => tick(list, index, event.target.checked)} />
      {label && <span className="label">{label}</span>}
      <span className="step">
        <Dialled text={text} />
      </span>
    </label>
    <StartTimers {...{ text, language }} />
  </div>
);
