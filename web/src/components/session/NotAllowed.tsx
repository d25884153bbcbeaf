// Who is signed in has no role that this page is for: what they can do.
import { useEffect } from "react";
import { useWardMessages } from "../../i18n";
import { type Role, useRoles } from "../../queries/session";
import { mayRead, pagesFor, pathOf } from "../../state/window/route";
import { Header } from "../shared/frame/Header";

export function NotAllowed({ needs }: { needs: readonly Role[] }) {
  const m = useWardMessages();
  const roles = useRoles();
  const reads = mayRead(roles);
  const [first] = pagesFor(roles);
  useEffect(() => {
    // an auditor's way in is the same as everyone's
    if (first && location.pathname === "/") location.replace(pathOf(first));
  }, [first]);
  return (
    <div className="app">
      <Header />
      <main className="gate">
        <h2>{m.notAllowed.title}</h2>
        <p>{m.notAllowed.why(needs.map((role) => m.roles[role]))}</p>
        {reads && <a href="/">{m.notAllowed.toQuestions}</a>}
      </main>
    </div>
  );
}
