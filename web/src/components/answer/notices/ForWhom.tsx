// The question names no patient, and the answer depends on it: one press asks it again for one.
import { useWardMessages } from "../../../i18n";
import { GROUPS } from "../../../state/scope";
import { completed } from "../../../text/documents/patient";

interface Props {
  question: string;
  language: string;
  onAsk(question: string): void;
}

export function ForWhom({ question, language, onAsk }: Props) {
  const m = useWardMessages();
  return (
    <fieldset className="for-whom">
      <legend>{m.beside.forWhom}</legend>
      {GROUPS.map((group) => (
        <button key={group} type="button" className="chip" onClick={() => onAsk(completed(question, group, language))}>
          {m.beside.patients[group]}
        </button>
      ))}
    </fieldset>
  );
}
