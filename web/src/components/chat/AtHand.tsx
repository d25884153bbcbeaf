// On the first page: the procedures that this person keeps, those they opened last, and the way to
// all others.
import { useMessages } from "../../i18n";
import { useKeptDocuments } from "../../queries/documents/list";
import { useFavourites } from "../../queries/favourites";
import { useOwnerNews } from "../../queries/news";
import { usePerson } from "../../queries/session";
import { useOpenedLast } from "../../state/kept";
import { pathOf, placePath } from "../../state/window/route";
import { lazyPart } from "../shared/controls/lazyPart";
import { Optional } from "../shared/controls/Optional";

const SHOWN = 5;
const SHOWN_FAVOURITES = 10;
const Waiting = lazyPart(async () => (await import("./Waiting")).Waiting);

export function AtHand() {
  const m = useMessages();
  const favourites = useFavourites().data ?? [];
  const opened = useKeptDocuments(useOpenedLast(usePerson()), SHOWN);
  const lists = [
    { name: m.atHand.favourites, documents: favourites.slice(0, SHOWN_FAVOURITES) },
    { name: m.atHand.opened, documents: opened.filter(({ id }) => !favourites.some((one) => one.id === id)) },
  ];
  const counts = useOwnerNews().data;
  return (
    <section className="at-hand" aria-label={m.pageNames.procedures}>
      {counts && Object.values(counts).some(Boolean) && (
        <Optional fallback={null}>
          <Waiting counts={counts} />
        </Optional>
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
                      href={placePath({ document: id, page: 1, quotes: [] })}
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
