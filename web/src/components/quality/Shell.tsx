// The frame of the pages for quality staff: the bar with the ways between them. Who may not see one
// finds nothing there.
import type { ReactNode } from "react";
import type { ApiError } from "../../api/errors";
import { useMessages } from "../../i18n";
import type { OwnPage } from "../../state/window/route";
import { Problem } from "../shared/controls/Problem";
import { Header } from "../shared/frame/Header";
import { Nowhere } from "../shared/frame/Nowhere";
import "../../styles/staff/index.css";

interface Props {
  current: Extract<OwnPage, "reviews" | "session" | "sets" | "gaps" | "usage">;
  label?: string; // of the page's main part; else its name
  error: ApiError | null; // of what the page cannot do without
  foot?: ReactNode; // the question box
  source?: ReactNode; // the open source
  covered?: boolean; // it lies over the rest
  lacking?: number; // as in Header
  children: ReactNode;
}

export function Shell({ current, label, error, foot, source, covered, lacking, children }: Props) {
  const m = useMessages();
  const hidden = error?.code === "not_found";
  return (
    <div className={`app ${source ? "with-source" : ""}`}>
      <Header asks={foot !== undefined && !hidden} {...{ current, covered, lacking }} />
      <main className="conversation" aria-label={label ?? m.pageNames[current]} inert={covered}>
        <div className="turns">
          {!hidden && <Problem code={error?.code} />}
          {hidden ? <Nowhere onHome={() => location.assign("/")} /> : children}
        </div>
        {!hidden && foot}
      </main>
      {source}
    </div>
  );
}
