// The bar on top of every page, the same on each: its name, the ways to go, how the page looks and
// speaks; under it what holds of the whole page.
import { type ReactNode, useState } from "react";
import { useMessages } from "../../../i18n";
import { useRoles } from "../../../queries/session";
import { keptInTab } from "../../../settings";
import { conversationPath, mayRead, type OwnPage } from "../../../state/window/route";
import { useFolded } from "../../../state/window/useNarrow";
import { lazyPart } from "../controls/lazyPart";
import { Menu } from "../controls/Menu";
import { Optional } from "../controls/Optional";
import { History } from "../history/History";
import { Banner } from "./Banner";
import { Display, useDisplay } from "./Display";
import { LanguageButton } from "./LanguageButton";
import { FoldedLinks, PageLinks } from "./PageLinks";
import { SignedIn } from "./SignedIn";

const Timers = lazyPart(async () => (await import("./Timers")).Timers);

interface Props {
  home?: boolean; // this is the page that the name leads to
  current?: OwnPage; // the page that this is
  covered?: boolean | undefined; // something lies over the page
  asks?: boolean; // there is a question box to skip to
  times?: boolean; // something here may start a timer
  lacking?: number | undefined; // which answer lacked something
  tools?: ReactNode; // after the ways to go
  onAnew?: () => void; // begins a new question here; else the page that the name leads to does
  onConversation?: (id: string) => void; // shows an earlier one here
}

export function Header({
  home = false,
  covered = false,
  asks = false,
  times = false,
  lacking = 0,
  tools,
  ...ways
}: Props) {
  const { current } = ways;
  const m = useMessages();
  const display = useDisplay();
  const folded = useFolded(display.size);
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
        <Questions {...ways} />
        {!folded && <PageLinks current={current} />}
        {tools}
        <span className="spacer" />
        {folded ? (
          <Menu label={`${m.menus.all} ▾`} className="of-all to-left">
            <li>
              <SignedIn />
            </li>
            <FoldedLinks current={current} />
            <li className="menu-heading">{m.app.display}</li>
            <Display {...display} />
            <li>
              <LanguageButton onFailed={setUnspoken} />
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
      </div>
      {unspoken && (
        <p className="banner serious" role="alert">
          {m.app.languageFailed}
        </p>
      )}
      <Banner lacking={lacking} />
      {(times || keptInTab("steps") !== null) && (
        <Optional fallback={null}>
          <Timers />
        </Optional>
      )}
    </header>
  );
}

/** The ways to ask, for who may: a new question, and those before. */
function Questions({ current, onAnew, onConversation }: Pick<Props, "current" | "onAnew" | "onConversation">) {
  const m = useMessages();
  const reads = mayRead(useRoles());
  if (!reads && !onAnew) return null;
  return (
    <>
      {onAnew ? (
        <button type="button" className="quiet" onClick={onAnew}>
          {m.app.newConversation}
        </button>
      ) : (
        <a className="quiet" href="/">
          {m.app.newConversation}
        </a>
      )}
      <History
        current={current === "conversations"}
        onConversation={onConversation ?? ((id) => location.assign(conversationPath(id)))}
        onGone={onAnew}
      />
    </>
  );
}
