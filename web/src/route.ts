// The page's addresses: / and /c/{conversation}. Anything else is not here.
import { useEffect, useState } from "react";

export type Route = { kind: "home" } | { kind: "conversation"; id: string } | { kind: "unknown" };

export function parseRoute(path: string): Route {
  if (path === "/" || path === "/index.html") return { kind: "home" };
  const id = /^\/c\/([^/]+)\/?$/.exec(path)?.[1];
  try {
    return id ? { kind: "conversation", id: decodeURIComponent(id) } : { kind: "unknown" };
  } catch {
    return { kind: "unknown" }; // "%zz" is no character
  }
}

export const conversationPath = (id: string): string => `/c/${encodeURIComponent(id)}`;

/** The current route, a way to go elsewhere, and one to name the present place without going anywhere. */
export function useRoute() {
  const [route, setRoute] = useState(() => parseRoute(location.pathname));
  useEffect(() => {
    const changed = (): void => setRoute(parseRoute(location.pathname));
    window.addEventListener("popstate", changed);
    return () => window.removeEventListener("popstate", changed);
  }, []);
  const go = (path: string): void => {
    if (path !== location.pathname) history.pushState(null, "", path);
    setRoute(parseRoute(path));
  };
  const name = (path: string): void => {
    if (path !== location.pathname) history.pushState(null, "", path);
  };
  return { route, go, name };
}
