// The frame of the pages for quality staff: a bar with the way back.
import type { ReactNode } from "react";
import { useMessages } from "../../i18n";
import { QUALITY_PAGES, QUALITY_PATHS, type QualityPage } from "../../state/route";

interface Props {
  current: QualityPage;
  withSource?: boolean;
  children: ReactNode;
}

export function Shell({ current, withSource = false, children }: Props) {
  const m = useMessages();
  return (
    <div className={`app ${withSource ? "with-source" : ""}`}>
      <header className="top">
        <nav className="bar">
          <h1 className="wordmark">
            <a href="/">{m.app.name}</a>
          </h1>
          {QUALITY_PAGES.map((name) => (
            <a
              key={name}
              className="quiet"
              href={QUALITY_PATHS[name]}
              aria-current={name === current ? "page" : undefined}
            >
              {m.quality[name]}
            </a>
          ))}
        </nav>
      </header>
      {children}
    </div>
  );
}
