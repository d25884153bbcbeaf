// Nobody is signed in: with a name and a password, or at the hospital's own sign-in.
import { type FormEvent, useState } from "react";
import { address } from "../../api/client";
import { asApiError } from "../../api/errors";
import { keptQuestion } from "../../api/signedOut";
import { useWardMessages } from "../../i18n";
import { useSignIn } from "../../queries/session";
import { keptInTab } from "../../settings";
import { lazyPart } from "../shared/controls/lazyPart";
import { Optional } from "../shared/controls/Optional";
import { useDisplay } from "../shared/frame/Display";
import { LanguageButton } from "../shared/frame/LanguageButton";

const Timers = lazyPart(async () => (await import("../shared/frame/Timers")).LockedTimers);

interface Props {
  how: "local" | "oidc";
  ended: boolean; // somebody was signed in here, and did not leave by themselves
  idle: number; // seconds without use after which a session ends; 0: it does not end by that
}

export function SignIn({ how, ended, idle }: Props) {
  const m = useWardMessages();
  const [unspoken, setUnspoken] = useState(false); // the other language could not be had
  useDisplay();
  const kept = ended && keptQuestion() !== "";
  return (
    <main className="gate">
      <div className="gate-head">
        <h1>{m.app.name}</h1>
        <LanguageButton onFailed={setUnspoken} />
      </div>
      {unspoken && <p role="alert">{m.app.languageFailed}</p>}
      {ended ? (
        <p className="notice" role="status">
          {kept ? m.signIn.endedKept : m.signIn.ended} {idle > 0 && m.signIn.endsAfter(Math.round(idle / 60))}
        </p>
      ) : (
        <p>{m.signIn.lead}</p>
      )}
      {how === "local" ? <Password /> : <Elsewhere inNewTab={kept} />}
      {how === "local" && <p className="muted">{m.signIn.forgotten}</p>}
      {keptInTab("steps") !== null && (
        <Optional fallback={null}>
          <Timers />
        </Optional>
      )}
    </main>
  );
}

function Password() {
  const m = useWardMessages();
  const signIn = useSignIn();
  const [login, setLogin] = useState("");
  const [password, setPassword] = useState("");
  const [wrong, setWrong] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setWrong(undefined);
    signIn(login, password).catch((error: unknown) => {
      setWrong(asApiError(error).code);
      setPassword("");
    });
  };
  return (
    <form className="sign-in" onSubmit={submit}>
      <label>
        {m.signIn.login}
        <input
          autoComplete="username"
          value={login}
          onChange={(event) => setLogin(event.target.value)}
          // biome-ignore lint/a11y/noAutofocus: there is nothing else on this page
          autoFocus
          required
        />
      </label>
      <label>
        {m.signIn.password}
        <input
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          required
        />
      </label>
      {wrong && (
        <p className="notice serious" role="alert">
          {m.signIn.refused[wrong] ?? m.signIn.refused.not_signed_in}
        </p>
      )}
      <button type="submit" className="button">
        {m.signIn.signIn}
      </button>
    </form>
  );
}

/**
 * In a tab of its own while a question is kept: this page then still has it when the reader comes
 * back.
 */
function Elsewhere({ inNewTab }: { inNewTab: boolean }) {
  const m = useWardMessages();
  const failed = new URLSearchParams(location.search).get("sign-in-failed");
  const here = failed ? "/" : location.pathname + location.search;
  return (
    <>
      {failed && (
        <p className="notice serious" role="alert">
          {m.signIn.failed[failed] ?? m.signIn.refused[failed] ?? m.signIn.failed.not_allowed}
        </p>
      )}
      <a
        className="button"
        href={address("/sign-in", { query: { return_to: here } })}
        target={inNewTab ? "_blank" : undefined}
        rel="noreferrer"
      >
        {m.signIn.signIn}
      </a>
    </>
  );
}
