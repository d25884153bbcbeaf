// The addresses: /, /c/{conversation}, /a/{answer}, /d/{document}, /history, /procedures, /inbox,
// and the pages for quality staff, admins and auditors. Anything else is not here. The service and
// nginx know the same ones.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Role } from "../../queries/session";

/**
 * Pages of their own, most of them for few: reached by links, in this order, not within a
 * conversation.
 */
export const OWN_PAGES = [
  "conversations",
  "procedures",
  "inbox",
  "documents",
  "owners",
  "accounts",
  "keys",
  "webhooks",
  "reviews",
  "session",
  "sets",
  "gaps",
  "usage",
  "audit",
] as const;
export type OwnPage = (typeof OWN_PAGES)[number];
export type PageName = "chat" | "linked" | OwnPage;

const PATHS: Record<OwnPage, string> = {
  conversations: "/history", // "/conversations" itself is the service's, as "/audit" is
  procedures: "/procedures",
  inbox: "/inbox",
  documents: "/admin/documents",
  owners: "/admin/owners",
  accounts: "/admin/accounts",
  keys: "/admin/keys",
  webhooks: "/admin/webhooks",
  reviews: "/quality/reviews",
  session: "/quality/session",
  sets: "/quality/sets",
  gaps: "/quality/gaps",
  usage: "/quality/usage",
  audit: "/audit/trail", // "/audit" itself is the service's where no nginx stands before it
};
export const pathOf = (page: OwnPage): string => PATHS[page];

/** Only what is shown: the service decides. */
const READERS: readonly Role[] = ["reader", "judge", "admin"];
const ADMINS: readonly Role[] = ["admin"];
const JUDGES: readonly Role[] = ["judge", "admin"];
const ROLES: Record<PageName, readonly Role[]> = {
  chat: READERS,
  linked: READERS,
  conversations: READERS,
  procedures: READERS,
  inbox: READERS,
  documents: READERS,
  owners: ADMINS,
  accounts: ADMINS,
  keys: ADMINS,
  webhooks: ADMINS,
  reviews: JUDGES,
  session: JUDGES,
  sets: JUDGES,
  gaps: JUDGES,
  usage: JUDGES,
  audit: ["auditor"],
};

/** Return who may see a page: anybody with one of these. */
export const rolesOf = (page: PageName): readonly Role[] => ROLES[page];

/**
 * Whether somebody with these roles asks and reads at all: an auditor who is nothing else does not.
 */
export const mayRead = (roles: readonly Role[]): boolean => roles.some((role) => READERS.includes(role));

/** Whether somebody with these roles may load documents and take them out. */
export const mayLoad = (roles: readonly Role[]): boolean => roles.some((role) => ADMINS.includes(role));

/**
 * Who is shown the way to a page that others may see too: readers find their documents among the
 * procedures.
 */
const SHOWN: Partial<Record<OwnPage, readonly Role[]>> = { documents: JUDGES };

/**
 * Return the pages that somebody with these roles is shown the way to. A downtime pack has no
 * owners to ask.
 */
export const pagesFor = (roles: readonly Role[], inPack = false): OwnPage[] =>
  OWN_PAGES.filter(
    (page) => !(inPack && page === "inbox") && (SHOWN[page] ?? rolesOf(page)).some((role) => roles.includes(role)),
  );

/** The menus of the bar: what belongs to the same task lies together. */
export const MENUS = ["quality", "administration"] as const;
export type PageMenu = (typeof MENUS)[number];

/**
 * Return the menu that the way to a page lies in, for somebody with these roles; null: it is
 * everybody's, and stands in the bar. Who may change no document watches over them.
 */
export function menuOf(page: OwnPage, roles: readonly Role[]): PageMenu | null {
  if (/^\/quality\//.test(PATHS[page]) || (page === "documents" && !mayLoad(roles))) return "quality";
  return /^\/(admin|audit)\//.test(PATHS[page]) ? "administration" : null;
}

/** Return the page that stands at this path; what is nowhere is the chat's to say. */
export function pageAt(path: string): PageName {
  const plain = path.replace(/\/$/, "");
  if (/^\/d\/[^/]+$/.test(plain)) return "linked";
  return OWN_PAGES.find((page) => PATHS[page] === plain) ?? "chat";
}

/** A place in a document, as a link names it. */
export interface Place {
  document: string;
  page: number;
  quotes: readonly string[]; // what is marked, each as it stands together; none: the page as a whole
}

const LONGEST_QUOTES = 1500; // characters, that no program cuts the address; of longer ones the first of each

export function placePath({ document, page, quotes }: Place): string {
  const words = quotes.map((quote) => [...quote.replace(/\s+/g, " ").trim()]).filter(({ length }) => length > 0);
  const all = words.reduce((sum, { length }) => sum + length, 0);
  const each = all > LONGEST_QUOTES ? Math.ceil(LONGEST_QUOTES / words.length) : all;
  const told = words.map((one) => one.slice(0, each).join("")).join("\n");
  return `/d/${encodeURIComponent(document)}#page=${page}${told && `&quote=${encodeURIComponent(told)}`}`;
}

/** The address that asks a question in its reader's own name. */
export const askPath = (question: string): string => `/?q=${encodeURIComponent(question)}`;

/** The question that another system sends its user here with. */
export const questionInAddress = (search: string): string => new URLSearchParams(search).get("q")?.trim() ?? "";

export function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null; // "%zz" is no character
  }
}

export type Route = { kind: "home" | "unknown" } | { kind: "conversation" | "answer"; id: string };

export function parseRoute(path: string): Route {
  if (path === "/" || path === "/index.html") return { kind: "home" };
  const [, kind, part = ""] = /^\/([ca])\/([^/]+)\/?$/.exec(path) ?? [];
  const id = decoded(part);
  return id ? { kind: kind === "a" ? "answer" : "conversation", id } : { kind: "unknown" };
}

export const conversationPath = (id: string): string => `/c/${encodeURIComponent(id)}`;

/** What the address of a conversation ends in that is to be printed as soon as it is drawn. */
export const TO_PRINT = "#print";

/**
 * Keeps address and conversation together: the address follows a conversation that begins (`id`),
 * and `goTo` is called when the reader went to another address (null: to the empty page).
 */
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
    addEventListener("popstate", changed);
    return () => removeEventListener("popstate", changed);
  }, []);

  const go = useCallback((path: string): void => {
    push(path);
    setRoute(parseRoute(path));
  }, []);
  return { route, go };
}

function push(path: string): void {
  if (path !== location.pathname) history.pushState(null, "", path);
}
