// Who is signed in, and the way out; nothing where there is nothing to sign in to.
import { useMessages } from "../../../i18n";
import { signOut, useSession, useSignedOut } from "../../../queries/session";
import { noteSignedIn } from "../../../settings";

export function SignedIn() {
  const m = useMessages();
  const { data: session } = useSession();
  const forget = useSignedOut();
  if (!session?.user || session.sign_in === "off") return null;
  const leave = async (): Promise<void> => {
    const goTo = await signOut().catch(() => null);
    forget();
    noteSignedIn(false);
    location.assign(goTo ?? "/"); // a page of its own, so that nothing of the last one is left in it
  };
  return (
    <>
      <span className="signed-in" title={m.session.signedInAs(session.user.name)}>
        {session.user.name}
      </span>
      <button type="button" className="quiet" onClick={() => void leave()}>
        {m.session.signOut}
      </button>
    </>
  );
}
