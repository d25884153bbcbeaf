// In the menu of how the page looks and speaks: whether answers are read aloud by themselves, and
// what this device cannot do, and why.
import { useEffect, useId, useState } from "react";
import { useWardMessages } from "../../../i18n";
import { recall, remember } from "../../../settings";
import { type Availability, dictationIn } from "../../../state/speech/dictation";
import { useVoices } from "../../../state/speech/voices";

export default function HandsFree() {
  const m = useWardMessages();
  const why = useId();
  const voices = useVoices();
  const [on, setOn] = useState(() => recall("aloud") === "on");
  const [dictation, setDictation] = useState<Availability | null>(null);
  useEffect(() => {
    let here = true;
    void dictationIn(m.locale).then(({ availability }) => here && setDictation(availability));
    return () => {
      here = false;
    };
  }, [m.locale]);
  const choose = (chosen: boolean): void => {
    setOn(chosen);
    remember("aloud", chosen ? "on" : "off");
  };
  return (
    <>
      <li className="menu-heading">{m.speech.title}</li>
      <li className="menu-choice">
        <label>
          <input
            type="checkbox"
            checked={on && voices.length > 0}
            disabled={voices.length === 0}
            aria-describedby={why}
            onChange={(event) => choose(event.target.checked)}
          />{" "}
          {m.speech.always}
        </label>
      </li>
      <li className="menu-note muted" id={why}>
        {[voices.length === 0 && m.speech.noVoices, dictation === "unavailable" && m.speech.noDictation]
          .filter(Boolean)
          .join(" ")}
      </li>
    </>
  );
}
