// Words of a document in which the telephone numbers can be pressed.
import { useContext } from "react";
import { useWardMessages } from "../../i18n";
import { type Phone, phonesIn } from "../../text/answer/phones";
import { InForce } from "./inForce";
import "../../styles/answer/steps.css";

const useNumbers = (text: string): Phone[] => (useContext(InForce) ? phonesIn(text) : []);

export function Dialled({ text }: { text: string }) {
  const m = useWardMessages();
  let at = 0;
  const parts = useNumbers(text).map(({ start, end, number }) => {
    const before = text.slice(at, start);
    at = end;
    return (
      <span key={start}>
        {before}
        <a className="dialled" href={`tel:${number}`} title={m.steps.call(text.slice(start, end))}>
          {text.slice(start, end)}
        </a>
      </span>
    );
  });
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
}

/** After words that are a link themselves: the numbers in them, each a link of its own. */
export function ToDial({ text }: { text: string }) {
  const m = useWardMessages();
  return useNumbers(text).map(({ start, end, number }) => (
    <a key={start} className="to-dial" href={`tel:${number}`} aria-label={m.steps.call(text.slice(start, end))}>
      <span aria-hidden="true">☎ </span>
      {text.slice(start, end)}
    </a>
  ));
}
