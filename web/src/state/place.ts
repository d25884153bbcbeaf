// The place in a document that an address names, for the page that shows it.
import { decoded, type Place } from "./window/route";

export function placeIn({ pathname, hash }: Pick<Location, "pathname" | "hash">): Place {
  const told = new URLSearchParams(hash.slice(1).replaceAll("+", "%2B"));
  const page = Number(told.get("page"));
  return {
    document: decoded(pathname.split("/")[2] ?? "") ?? "",
    page: Number.isInteger(page) && page > 0 ? page : 1,
    quotes: (told.get("quote") ?? "").split("\n").filter(Boolean),
  };
}
