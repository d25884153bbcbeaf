// The frame of a page that is for few: the bar with the ways to the others, and what it is for.
import type { ReactNode } from "react";
import { useMessages } from "../../../i18n";
import type { OwnPage } from "../../../state/window/route";
import { Header } from "./Header";
import "../../../styles/staff/index.css";

interface Props {
  page: OwnPage;
  lead: string;
  children: ReactNode;
}

export function Staff({ page, lead, children }: Props) {
  const m = useMessages();
  return (
    <div className="app">
      <Header current={page} />
      <main className="conversation" aria-label={m.pageNames[page]}>
        <div className="turns">
          <h2 className="admin-title">{m.pageNames[page]}</h2>
          <p className="muted">{lead}</p>
          {children}
        </div>
      </main>
    </div>
  );
}
