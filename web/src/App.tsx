// Which page stands at this address, and what all of them share: the language, and what was
// fetched.
import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, lazy, Suspense, useState } from "react";
import { Chat } from "./components/chat/Chat";
import { Gate } from "./components/session/Gate";
import { pane } from "./components/source/LazyPane";
import { LanguageProvider } from "./i18n";
import { pdfjs } from "./pdf/load";
import { newQueryClient } from "./queries/client";
import { onceDrawn } from "./state/window/drawn";
import { type PageName, pageAt, rolesOf } from "./state/window/route";

/** pdf.js is large: it comes while the first question is typed, not after it is answered. */
onceDrawn(() => void Promise.all([pdfjs(), pane()]).catch(() => undefined));

const page = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name): ComponentType =>
  lazy(async (): Promise<{ default: ComponentType }> => ({ default: (await load())[name] }));

/** The other pages are for few: who only asks does not fetch them. */
const PAGES: Record<PageName, ComponentType> = {
  chat: Chat,
  linked: page(() => import("./components/source/Linked"), "Linked"),
  conversations: page(() => import("./components/browse/Conversations"), "Conversations"),
  procedures: page(() => import("./components/browse/Procedures"), "Procedures"),
  inbox: page(() => import("./components/inbox/Inbox"), "Inbox"),
  owners: page(() => import("./components/admin/owners/Owners"), "Owners"),
  documents: page(() => import("./components/admin/documents/Documents"), "Documents"),
  reviews: page(() => import("./components/quality/reviews/Reviews"), "Reviews"),
  session: page(() => import("./components/quality/Session"), "Session"),
  sets: page(() => import("./components/quality/Sets"), "Sets"),
  accounts: page(() => import("./components/admin/accounts/Accounts"), "Accounts"),
  keys: page(() => import("./components/admin/keys/Keys"), "Keys"),
  webhooks: page(() => import("./components/admin/webhooks/Webhooks"), "Webhooks"),
  audit: page(() => import("./components/audit/Audit"), "Audit"),
  gaps: page(() => import("./components/quality/Gaps"), "Gaps"),
  usage: page(() => import("./components/quality/usage/Usage"), "Usage"),
};

export function App() {
  const [queries] = useState(newQueryClient);
  const [name] = useState(() => pageAt(location.pathname)); // from page to page the browser goes by links
  const Page = PAGES[name];
  return (
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <Suspense>
          <Gate roles={rolesOf(name)}>
            <Page />
          </Gate>
        </Suspense>
      </LanguageProvider>
    </QueryClientProvider>
  );
}
