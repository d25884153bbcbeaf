// One line under the bar for what holds of the whole page: no connection, no search, no generator,
// only a demonstration.
import { useSyncExternalStore } from "react";
import { useMessages } from "../../../i18n";
import { useHealth } from "../../../queries/health";
import { useSession } from "../../../queries/session";
import { mayRead } from "../../../state/window/route";
import { lazyPart } from "../controls/lazyPart";
import { Optional } from "../controls/Optional";

const PackBanner = lazyPart(async () => (await import("./PackBanner")).default);

/** `lacking`: which answer failed or came without a generator; 0: none did. */
export function Banner({ lacking }: { lacking: number }) {
  const m = useMessages();
  const { user, pack } = useSession().data ?? {};
  const health = useHealth(lacking, !user || mayRead(user.roles));
  const online = useOnline();
  if (!online && !pack) return <p className="banner serious">{m.errors.offlineNow}</p>; // a pack needs no network
  if (health?.status === "down") return <p className="banner serious">{m.errors.down}</p>;
  if (health?.status === "degraded") return <p className="banner serious">{m.errors.degraded}</p>;
  if (pack)
    return (
      <Optional fallback={null}>
        <PackBanner pack={pack} />
      </Optional>
    );
  return health?.demo ? <p className="banner">{m.app.demo}</p> : null;
}

const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

function subscribe(changed: () => void): () => void {
  addEventListener("online", changed);
  addEventListener("offline", changed);
  return () => {
    removeEventListener("online", changed);
    removeEventListener("offline", changed);
  };
}
