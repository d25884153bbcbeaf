// Of which day and which conversation a sheet is, which only paper holds.
import { useEffect, useState } from "react";
import { dayOf, formatDay, useMessages, useWardMessages } from "../../../i18n";
import { view } from "../../../state/conversation/answer";
import type { Conversation } from "../../../state/conversation/conversation";
import { TO_PRINT } from "../../../state/window/route";
import "../../../styles/media/print.css";

/**
 * A tab may lie open for days, so the day is taken when it prints. `conversation`: that is shown.
 */
export function PrintedDay({ conversation }: { conversation: Conversation | null }) {
  const { id = null, title = "", turns: [first] = [] } = conversation ?? {};
  const m = useMessages();
  const ward = useWardMessages();
  const [day, setDay] = useState(() => dayOf(new Date()));
  useEffect(() => {
    const titled = document.title;
    const before = (): void => {
      setDay(dayOf(new Date()));
      if (title) document.title = title; // which the file gets; on paper alone: a browser keeps it for the next person
    };
    const after = (): void => {
      document.title = titled;
    };
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, [title]);
  useEffect(() => {
    if (!id || location.hash !== TO_PRINT) return;
    history.replaceState(history.state, "", location.pathname); // printed once, however often the page is loaded again
    setTimeout(() => window.print()); // what prints draws first, which it cannot from here
  }, [id]);
  const named = first && !view(first.state).question.startsWith(title.replace(/…$/, "")); // else the question says it
  return (
    <p className="print-only">
      {named && <strong>{title}</strong>} {ward.beside.printed(formatDay(day, m))}
    </p>
  );
}
