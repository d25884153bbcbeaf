// The bar on top of every page: its name, the page's own ways to go, theme, language; under it what holds of the whole page.
import { type ReactNode, useState } from "react";
import { useLanguage, useMessages } from "../../../i18n";
import { Banner } from "./Banner";
import { SignedIn } from "./SignedIn";
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
  const [unspoken, setUnspoken] = useState(false); // the other language could not be had
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
        <LanguageButton onFailed={setUnspoken} />
        <SignedIn />
        {tools}
      </div>
      {unspoken && (
        <p className="banner serious" role="alert">
          {m.app.languageFailed}
        </p>
      )}
      <Banner lacking={lacking} />
    </header>
  );
}

function LanguageButton({ onFailed }: { onFailed(failed: boolean): void }) {
  const m = useMessages();
  const { other, speakOther } = useLanguage();
  const speak = (): void => {
    speakOther().then(
      () => onFailed(false),
      () => onFailed(true),
    );
  };
  return (
    <button type="button" className="quiet" lang={other} onClick={speak} aria-label={m.app.languageLabel}>
      {m.app.language}
    </button>
  );
}
