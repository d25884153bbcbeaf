// Of which day a sheet is, which only paper holds.
import { useEffect, useState } from "react";
import { dayOf, formatDay, useMessages, useWardMessages } from "../../../i18n";
import { TO_PRINT } from "../../../state/window/route";
import "../../../styles/media/print.css";

/**
 * A tab may lie open for days, so the day is taken when it prints. `conversation`: that is shown.
 */
export function PrintedDay({ conversation }: { conversation: string | null }) {
  const m = useMessages();
  const ward = useWardMessages();
  const [day, setDay] = useState(() => dayOf(new Date()));
  useEffect(() => {
    const now = (): void => setDay(dayOf(new Date()));
    addEventListener("beforeprint", now);
    return () => removeEventListener("beforeprint", now);
  }, []);
  useEffect(() => {
    if (!conversation || location.hash !== TO_PRINT) return;
    history.replaceState(history.state, "", location.pathname); // printed once, however often the page is loaded again
    setTimeout(() => window.print()); // what prints draws first, which it cannot from here
  }, [conversation]);
  return <p className="print-only">{ward.beside.printed(formatDay(day, m))}</p>;
}
