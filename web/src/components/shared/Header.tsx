// The bar on top of every page: its name, the page's own ways to go, theme, language; under it what holds of the whole page.
import type { ReactNode } from "react";
import { useLanguage, useMessages } from "../../i18n";
import { Banner } from "./Banner";
import { Theme } from "./Theme";

interface Props {
  home?: boolean; // this is the page that the name leads to
  covered?: boolean; // something lies over the page
  asks?: boolean; // there is a question box to skip to
  lacking?: number; // which answer lacked something
  tools?: ReactNode; // on the right, after the language
  children?: ReactNode; // beside the name
}

export function Header({ home = false, covered = false, asks = false, lacking = 0, tools, children }: Props) {
  const m = useMessages();
  return (
    <header className="top" inert={covered}>
      <div className="bar">
        {asks && (
          <a className="skip" href="#question">
            {m.app.skip}
          </a>
        )}
        <h1 className="wordmark">{home ? m.app.name : <a href="/">{m.app.name}</a>}</h1>
        {children}
        <span className="spacer" />
        <Theme />
        <LanguageButton />
        {tools}
      </div>
      <Banner lacking={lacking} />
    </header>
  );
}

function LanguageButton() {
  const m = useMessages();
  const { other, speakOther } = useLanguage();
  return (
    <button type="button" className="quiet" lang={other} onClick={speakOther} aria-label={m.app.languageLabel}>
      {m.app.language}
    </button>
  );
}
