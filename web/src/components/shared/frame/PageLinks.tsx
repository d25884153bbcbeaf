// The ways to the pages of their own, for those who may see them: everybody's in the bar, the
// others' in a menu for each task.
import { Fragment } from "react";
import { useMessages } from "../../../i18n";
import { useRoles, useSession } from "../../../queries/session";
import { MENUS, menuOf, type OwnPage, type PageMenu, pagesFor, pathOf } from "../../../state/window/route";
import { Menu } from "../controls/Menu";

interface Props {
  current: OwnPage | undefined;
}

/** Of a wide window. */
export function PageLinks({ current }: Props) {
  const m = useMessages();
  const pages = usePages();
  return (
    <nav className="page-links" aria-label={m.pages}>
      {pages.own.map((page) => (
        <PageLink key={page} {...{ page, current }} />
      ))}
      {pages.menus.map(([menu, members]) =>
        members.length === 1 ? (
          members.map((page) => <PageLink key={page} {...{ page, current }} />)
        ) : (
          <Menu key={menu} label={`${m.menus[menu]} ▾`} current={members.some((page) => page === current)}>
            {members.map((page) => (
              <li key={page}>
                <PageLink {...{ page, current }} />
              </li>
            ))}
          </Menu>
        ),
      )}
    </nav>
  );
}

/** Of a narrow window, where all of them lie in one menu. */
export function FoldedLinks({ current }: Props) {
  const m = useMessages();
  const pages = usePages();
  const items = (members: readonly OwnPage[]) =>
    members.map((page) => (
      <li key={page}>
        <PageLink {...{ page, current }} />
      </li>
    ));
  return (
    <>
      {items(pages.own)}
      {pages.menus.map(([menu, members]) => (
        <Fragment key={menu}>
          <li className="menu-heading">{m.menus[menu]}</li>
          {items(members)}
        </Fragment>
      ))}
    </>
  );
}

function PageLink({ page, current }: { page: OwnPage; current: OwnPage | undefined }) {
  const m = useMessages();
  return (
    <a className="quiet" href={pathOf(page)} aria-current={page === current ? "page" : undefined}>
      {m.pageNames[page]}
    </a>
  );
}

function usePages(): { own: OwnPage[]; menus: [PageMenu, OwnPage[]][] } {
  const inPack = useSession().data?.pack != null;
  const roles = useRoles();
  const pages = pagesFor(roles, inPack).filter((page) => page !== "conversations"); // those hang from "earlier"
  const menus = MENUS.map((menu): [PageMenu, OwnPage[]] => [
    menu,
    pages.filter((page) => menuOf(page, roles) === menu),
  ]);
  return {
    own: pages.filter((page) => menuOf(page, roles) === null),
    menus: menus.filter(([, members]) => members.length > 0),
  };
}
