// Lets through who is signed in and may see this page; shows all others what they can do. The
// service decides, here it is only shown.
import { type ReactNode, useEffect, useRef } from "react";
import { forgetQuestion, keepQuestion, onSignedOut } from "../../api/signedOut";
import { type Role, signOut, useSession, useSignedOut } from "../../queries/session";
import { noteSignedIn, wasSignedIn } from "../../settings";
import { lazyPart } from "../shared/controls/lazyPart";
import { Optional } from "../shared/controls/Optional";

const SignIn = lazyPart(async () => (await import("./SignIn")).SignIn);
const NotAllowed = lazyPart(async () => (await import("./NotAllowed")).NotAllowed);
const IdleWatch = lazyPart(async () => (await import("./IdleWatch")).IdleWatch);

interface Props {
  roles: readonly Role[]; // any of these
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
  useEffect(() => {
    if (user && session?.sign_in !== "off") noteSignedIn(true);
  }, [user, session?.sign_in]);
  if (user && user.id !== last.current) {
    if (last.current !== undefined) forgetQuestion(); // another's is not theirs to see
    last.current = user.id;
  }
  if (!isFetched) return null; // asked once: what is shown then stays, also while it is asked again in vain
  if (!session || session.sign_in === "off") return children;
  if (!user)
    return (
      <SignIn
        how={session.sign_in}
        ended={last.current !== undefined || wasSignedIn()}
        idle={session.idle_seconds ?? 0}
      />
    );
  const allowed = roles.some((role) => user.roles.includes(role));
  const end = (): void => {
    keepQuestion(typed());
    void signOut().catch(() => undefined);
    forget();
  };
  return (
    <>
      {allowed ? children : <NotAllowed needs={roles} />}
      {session.idle_seconds && (
        <Optional fallback={null}>
          <IdleWatch seconds={session.idle_seconds} onEnd={end} />
        </Optional>
      )}
    </>
  );
}

const typed = (): string => document.querySelector<HTMLTextAreaElement>("#question")?.value ?? "";
