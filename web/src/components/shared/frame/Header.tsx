// The bar on top of every page: its name, the ways to go, how the page looks and speaks; under it
// what holds of the whole page.
import { type ReactNode, useState } from "react";
import { useMessages } from "../../../i18n";
import type { OwnPage } from "../../../state/window/route";
import { useFolded } from "../../../state/window/useNarrow";
import { Menu } from "../controls/Menu";
import { Banner } from "./Banner";
import { Display, useDisplay } from "./Display";
import { LanguageButton } from "./LanguageButton";
import { FoldedLinks, PageLinks } from "./PageLinks";
import { SignedIn } from "./SignedIn";

interface Props {
  home?: boolean; // this is the page that the name leads to
  current?: OwnPage; // the page that this is
  without?: OwnPage; // the way there stands among `children`
  covered?: boolean | undefined; // something lies over the page
  asks?: boolean; // there is a question box to skip to
  lacking?: number | undefined; // which answer lacked something
  tools?: ReactNode; // on the right, after the language
  children?: ReactNode; // beside the name
}

export function Header({ home = false, covered = false, asks = false, lacking = 0, tools, children, ...pages }: Props) {
  const m = useMessages();
  const display = useDisplay();
  const folded = useFolded();
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
        {!folded && <PageLinks {...pages} />}
        <span className="spacer" />
        {folded ? (
          <Menu label={`${m.menus.all} ▾`} className="of-all to-left">
            <FoldedLinks {...pages} />
            <li className="menu-heading">{m.app.display}</li>
            <Display {...display} />
            <li>
              <LanguageButton onFailed={setUnspoken} />
            </li>
            <li>
              <SignedIn />
            </li>
          </Menu>
        ) : (
          <>
            <Menu label={`${m.app.display} ▾`} className="to-left">
              <Display {...display} />
            </Menu>
            <LanguageButton onFailed={setUnspoken} />
            <SignedIn />
          </>
        )}
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
