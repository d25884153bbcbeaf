// One line under the bar for what holds of the whole page: no connection, no search, no generator, only a demonstration.
import { useEffect, useState } from "react";
import { getHealth } from "../api/client";
import type { Health } from "../api/types";
import { useMessages } from "../i18n";

/** `failed`: the last answer did; then the reader should hear what is wrong. */
export function Banner({ failed }: { failed: boolean }) {
  const m = useMessages();
  const health = useHealth(failed);
  const online = useOnline();
  if (!online) return <p className="banner serious">{m.errors.offlineNow}</p>;
  if (health?.status === "down") return <p className="banner serious">{m.errors.down}</p>;
  if (health?.status === "degraded") return <p className="banner serious">{m.errors.degraded}</p>;
  return health?.demo ? <p className="banner">{m.app.demo}</p> : null;
}

/** Asked at the start, and again when an answer failed. */
function useHealth(failed: boolean): Health | null {
  const [health, setHealth] = useState<Health | null>(null);
  useEffect(() => {
    getHealth().then(setHealth, () => undefined); // without it the page works; asking will say what is wrong
  }, [failed]);
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
