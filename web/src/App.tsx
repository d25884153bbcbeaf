// Which page stands at this address, and what all of them share: the language, and what was fetched.
import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, useState } from "react";
import { Documents } from "./components/admin/Documents";
import { Chat } from "./components/chat/Chat";
import { Gaps } from "./components/quality/Gaps";
import { Session } from "./components/quality/Session";
import { Sets } from "./components/quality/Sets";
import { LanguageProvider } from "./i18n";
import { pdfjs } from "./pdf/load";
import { newQueryClient } from "./queries/client";
import { type PageName, pageAt } from "./state/route";

/** pdf.js is large: it comes while the first question is typed, not after it is answered. */
const whenIdle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500));
whenIdle(() => void pdfjs().catch(() => undefined));

const PAGES: Record<PageName, ComponentType> = {
  chat: Chat,
  documents: Documents,
  session: Session,
  sets: Sets,
  gaps: Gaps,
};

export function App() {
  const [queries] = useState(newQueryClient);
  const [name] = useState(() => pageAt(location.pathname)); // from page to page the browser goes by links
  const Page = PAGES[name];
  return (
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <Page />
      </LanguageProvider>
    </QueryClientProvider>
  );
}
