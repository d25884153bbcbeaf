// The frame of a page that is for few: the bar with the ways to the others, and what it is for.
import type { ReactNode } from "react";
import { useMessages } from "../../i18n";
import type { OwnPage } from "../../state/route";
import { Header } from "./Header";
import { PageLinks, pageName } from "./PageLinks";

interface Props {
  page: OwnPage;
  lead: string;
  children: ReactNode;
}

export function Staff({ page, lead, children }: Props) {
  const m = useMessages();
  return (
    <div className="app">
      <Header>
        <PageLinks current={page} />
      </Header>
      <main className="conversation" aria-label={pageName(page, m)}>
        <div className="turns">
          <h2 className="admin-title">{pageName(page, m)}</h2>
          <p className="muted">{lead}</p>
          {children}
        </div>
      </main>
    </div>
  );
}
