// On the first page: the procedures that this person keeps, those they opened last, and the way to
// all others.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { asApiError } from "../../api/errors";
import { useMessages } from "../../i18n";
import { useKeptDocuments } from "../../queries/documents/list";
import { keepFavourite, useFavourites } from "../../queries/favourites";
import { useOwnerNews } from "../../queries/news";
import { usePerson } from "../../queries/session";
import { forgetFavourites, useKept } from "../../state/kept";
import { pathOf, placePath } from "../../state/window/route";

const SHOWN = 5;
const SHOWN_FAVOURITES = 10;

export function AtHand() {
  const m = useMessages();
  const person = usePerson();
  const kept = useKept(person);
  useMoved(person, kept.favourites);
  const favourites = useFavourites().data ?? [];
  const opened = useKeptDocuments(kept.opened, SHOWN);
  const lists = [
    { name: m.atHand.favourites, documents: favourites.slice(0, SHOWN_FAVOURITES) },
    { name: m.atHand.opened, documents: opened.filter(({ id }) => !favourites.some((one) => one.id === id)) },
  ];
  const { news = 0, waiting = 0 } = useOwnerNews().data ?? {};
  const told = [news > 0 && m.atHand.news(news), waiting > 0 && m.atHand.waiting(waiting)].filter(Boolean);
  return (
    <section className="at-hand" aria-label={m.pageNames.procedures}>
      {told.length > 0 && (
        <p className="notice">
          <a href={pathOf("inbox")}>{told.join("; ")}</a>
        </p>
      )}
      {lists.map(
        ({ name, documents }) =>
          documents.length > 0 && (
            <div key={name}>
              <h2>{name}</h2>
              <ul>
                {documents.map(({ id, title, language }) => (
                  <li key={id}>
                    <a
                      className="link"
                      href={placePath({ document: id, page: 1, quote: "" })}
                      lang={language || undefined}
                    >
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
      <a className="link" href={pathOf("procedures")}>
        {m.atHand.find}
      </a>
    </section>
  );
}

/**
 * Favourites that an earlier release kept on this device go to the service, the newest last. One
 * that is gone meanwhile stays behind.
 */
function useMoved(person: string, favourites: readonly string[]): void {
  const client = useQueryClient();
  useEffect(() => {
    if (favourites.length === 0) return;
    const move = async (): Promise<void> => {
      for (const id of favourites.toReversed())
        await keepFavourite(id).catch((error: unknown) => {
          if (asApiError(error).status !== 404) throw error;
        });
      forgetFavourites(person);
      await client.invalidateQueries({ queryKey: ["favourites"] });
    };
    move().catch(() => undefined); // tried again when the page is loaded again
  }, [person, favourites, client]);
}
