// The addresses: / and /c/{conversation}, and the pages for quality staff and admins. Anything else is not here.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** Pages of their own, for quality staff: reached by links, not within a conversation. */
export const QUALITY_PAGES = ["session", "sets", "gaps"] as const;
export type QualityPage = (typeof QUALITY_PAGES)[number];
export const qualityPath = (page: QualityPage): string => `/quality/${page}`;

/** The documents list, where admins say what documents do not say of themselves. */
export const DOCUMENTS_PATH = "/admin/documents";

export type PageName = "chat" | "documents" | QualityPage;

/** Return the page that stands at this path; what is nowhere is the chat's to say. */
export function pageAt(path: string): PageName {
  const plain = path.replace(/\/$/, "");
  return plain === DOCUMENTS_PATH ? "documents" : (QUALITY_PAGES.find((page) => qualityPath(page) === plain) ?? "chat");
}

export const setAddress = (name: string): string => `${qualityPath("sets")}?set=${encodeURIComponent(name)}`;
export const setInAddress = (search: string): string | null => new URLSearchParams(search).get("set") || null;

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

/** Keeps address and conversation together: the address follows a conversation that begins (`id`), and `goTo` is called
 * when the reader went to another address (null: to the empty page). */
export function useAddress(id: string | null, goTo: (id: string | null) => void) {
  const [route, setRoute] = useState(() => parseRoute(location.pathname));
  const shown = useRef<string | null>(null); // the conversation that is, or is being, shown

  useLayoutEffect(() => {
    if (id === null || id === shown.current) return;
    shown.current = id;
    push(conversationPath(id));
  }, [id]);
  useEffect(() => {
    const wanted = route.kind === "conversation" ? route.id : null;
    if (wanted === shown.current) return;
    shown.current = wanted;
    goTo(wanted);
  }, [route, goTo]);
  useEffect(() => {
    const changed = (): void => setRoute(parseRoute(location.pathname));
    window.addEventListener("popstate", changed);
    return () => window.removeEventListener("popstate", changed);
  }, []);

  const go = (path: string): void => {
    push(path);
    setRoute(parseRoute(path));
  };
  return { route, go };
}

function push(path: string): void {
  if (path !== location.pathname) history.pushState(null, "", path);
}
