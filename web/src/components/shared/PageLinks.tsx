// The ways to the pages of few, for those who may see them.
import { type Messages, useMessages } from "../../i18n";
import { useRoles } from "../../queries/session";
import { type OwnPage, pagesFor, pathOf } from "../../state/route";

export const pageName = (page: OwnPage, { admin, accounts, keys, quality, audit }: Messages): string =>
  ({
    documents: admin.documents,
    accounts: accounts.title,
    keys: keys.title,
    session: quality.session,
    sets: quality.sets,
    gaps: quality.gaps,
    audit: audit.title,
  })[page];

export function PageLinks({ current }: { current?: OwnPage }) {
  const m = useMessages();
  const pages = pagesFor(useRoles());
  return (
    <nav className="page-links" aria-label={m.pages}>
      {pages.map((page) => (
        <a key={page} className="quiet" href={pathOf(page)} aria-current={page === current ? "page" : undefined}>
          {pageName(page, m)}
        </a>
      ))}
    </nav>
  );
}
