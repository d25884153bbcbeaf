// What a print says of itself: of which day it is. A tab may lie open for days, so the day is taken
// when it prints.
import { useEffect, useState } from "react";
import { dayOf, formatDay, useMessages } from "../../../i18n";

export function Printed() {
  const m = useMessages();
  const [day, setDay] = useState(() => dayOf(new Date()));
  useEffect(() => {
    const now = (): void => setDay(dayOf(new Date()));
    window.addEventListener("beforeprint", now);
    return () => window.removeEventListener("beforeprint", now);
  }, []);
  return <p className="print-only">{m.answer.printed(formatDay(day, m))}</p>;
}
