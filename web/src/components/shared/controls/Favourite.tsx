// Keeps a procedure at hand, on the first page and in the finder, or no longer.
import { failureWords, useMessages } from "../../../i18n";
import { useFavourites, useKeepFavourite } from "../../../queries/favourites";

interface Props {
  id: string; // of the document
  source: string; // its name, which its versions share
  title: string;
  className?: string;
}

export function Favourite({ id, source, title, className = "link" }: Props) {
  const m = useMessages();
  const { data: favourites } = useFavourites();
  const { mutate, variables: wanted, isPending, error } = useKeepFavourite(id);
  const kept = isPending ? wanted : (favourites?.some((one) => one.source === source) ?? false);
  return (
    <>
      <button
        type="button"
        className={className}
        aria-pressed={kept}
        aria-label={`${m.atHand.favourite}: ${title}`}
        onClick={() => mutate(!kept)}
      >
        {kept ? "★" : "☆"} {m.atHand.favourite}
      </button>
      {error && <span role="alert">{failureWords(error.code, m)}</span>}
    </>
  );
}
