// One line under the bar for what holds of the whole page: no connection, no search, no generator, only a demonstration.
import { useCallback, useEffect, useState } from "react";
import { getHealth } from "../../api/client";
import type { Health } from "../../api/types";
import { useMessages } from "../../i18n";

/** `asked`: how many questions were; `wanting`: the last answer failed, or came without a generator. */
export function Banner({ asked, wanting }: { asked: number; wanting: boolean }) {
  const m = useMessages();
  const health = useHealth(asked, wanting);
  const online = useOnline();
  if (!online) return <p className="banner serious">{m.errors.offlineNow}</p>;
  if (health?.status === "down") return <p className="banner serious">{m.errors.down}</p>;
  if (health?.status === "degraded") return <p className="banner serious">{m.errors.degraded}</p>;
  return health?.demo ? <p className="banner">{m.app.demo}</p> : null;
}

const AGAIN = 10_000; // milliseconds

/** Asked at the start, after an answer that lacked something, and now and then for as long as something is wrong: what the banner
 * says must stop being said when it stops being so. */
function useHealth(asked: number, wanting: boolean): Health | null {
  const [health, setHealth] = useState<Health | null>(null);
  const look = useCallback((): void => {
    getHealth().then(setHealth, () => undefined); // without it the page works; asking will say what is wrong
  }, []);
  const lacking = wanting ? asked : 0; // which answer lacked something: each is a reason to look
  useEffect(look, [look, lacking]);
  const ill = health !== null && health.status !== "ok";
  useEffect(() => {
    if (!ill) return;
    const timer = setInterval(look, AGAIN);
    return () => clearInterval(timer);
  }, [ill, look]);
  return health;
}

function useOnline(): boolean {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const changed = (): void => setOnline(navigator.onLine);
    window.addEventListener("online", changed);
    window.addEventListener("offline", changed);
    return () => {
      window.removeEventListener("online", changed);
      window.removeEventListener("offline", changed);
    };
  }, []);
  return online;
}
