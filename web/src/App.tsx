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

/** The other pages are for few: who only asks does not fetch them. */
const PAGES: Record<PageName, ComponentType> = {
  chat: Chat,
  linked: lazy(async () => ({ default: (await import("./components/source/Linked")).Linked })),
  conversations: lazy(async () => ({ default: (await import("./components/browse/Conversations")).Conversations })),
  procedures: lazy(async () => ({ default: (await import("./components/browse/Procedures")).Procedures })),
  inbox: lazy(async () => ({ default: (await import("./components/inbox/Inbox")).Inbox })),
  owners: lazy(async () => ({ default: (await import("./components/admin/owners/Owners")).Owners })),
  documents: lazy(async () => ({ default: (await import("./components/admin/documents/Documents")).Documents })),
  session: lazy(async () => ({ default: (await import("./components/quality/Session")).Session })),
  sets: lazy(async () => ({ default: (await import("./components/quality/Sets")).Sets })),
  accounts: lazy(async () => ({ default: (await import("./components/admin/accounts/Accounts")).Accounts })),
  keys: lazy(async () => ({ default: (await import("./components/admin/keys/Keys")).Keys })),
  webhooks: lazy(async () => ({ default: (await import("./components/admin/webhooks/Webhooks")).Webhooks })),
  audit: lazy(async () => ({ default: (await import("./components/audit/Audit")).Audit })),
  gaps: lazy(async () => ({ default: (await import("./components/quality/Gaps")).Gaps })),
  usage: lazy(async () => ({ default: (await import("./components/quality/usage/Usage")).Usage })),
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
