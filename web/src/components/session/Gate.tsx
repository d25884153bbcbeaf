// Lets through who is signed in and may see this page; shows all others what they can do. The service decides, here it is only shown.
import { type ReactNode, useEffect, useRef } from "react";
import { forgetQuestion, keepQuestion, onSignedOut } from "../../api/signedOut";
import { useMessages } from "../../i18n";
import { type Role, signOut, useSession, useSignedOut } from "../../queries/session";
import { Header } from "../shared/Header";
import { IdleWatch } from "./IdleWatch";
import { SignIn } from "./SignIn";

interface Props {
  roles?: readonly Role[]; // any of these; absent: everyone who is signed in
  children: ReactNode;
}

export function Gate({ roles, children }: Props) {
  const { data: session, isFetched } = useSession();
  const forget = useSignedOut();
  const last = useRef<string>(undefined);
  const user = session?.user;
  useEffect(
    () =>
      onSignedOut(() => {
        keepQuestion(typed());
        forget();
      }),
    [forget],
  );
  if (user && user.id !== last.current) {
    if (last.current !== undefined) forgetQuestion(); // another's is not theirs to see
    last.current = user.id;
  }
  if (!isFetched) return null; // asked once: what is shown then stays, also while it is asked again in vain
  if (!session || session.sign_in === "off") return children;
  if (!user) return <SignIn how={session.sign_in} again={last.current !== undefined} />;
  const allowed = !roles || roles.some((role) => user.roles.includes(role));
  const end = (): void => {
    keepQuestion(typed());
    void signOut().catch(() => undefined);
    forget();
  };
  return (
    <>
      {allowed ? children : <NotAllowed />}
      {session.idle_seconds && <IdleWatch seconds={session.idle_seconds} onEnd={end} />}
    </>
  );
}

const typed = (): string => document.querySelector<HTMLTextAreaElement>("#question")?.value ?? "";

function NotAllowed() {
  const m = useMessages();
  return (
    <div className="app">
      <Header />
      <main className="gate">
        <h2>{m.session.notAllowed}</h2>
        <p>{m.session.notAllowedWhy}</p>
        <a href="/">{m.session.toQuestions}</a>
      </main>
    </div>
  );
}
