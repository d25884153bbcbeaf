// The reader's few choices, kept on this device; a browser that keeps nothing still works. No
// question or answer stays when the tab is closed.

type Name = "language" | "theme" | "size" | "asker" | "documents" | "split" | "aloud" | "used";

type InTab = "steps" | "signed-in" | "words";

export function recall(name: Name): string | null {
  try {
    return localStorage.getItem(`bedside.${name}`);
  } catch {
    return null;
  }
}

/** For this tab alone, on all of its pages. */
export function keptInTab(name: InTab): string | null {
  try {
    return sessionStorage.getItem(`bedside.${name}`);
  } catch {
    return null;
  }
}

export function keepInTab(name: InTab, value: string): void {
  try {
    sessionStorage.setItem(`bedside.${name}`, value);
  } catch {
    // Switched off by policy: it then lasts as long as the page.
  }
}

/**
 * Notes in this tab that somebody is signed in, or left by themselves: a page loaded after a
 * session ended can then say so. Who left leaves no words that they searched with.
 */
export function noteSignedIn(signedIn: boolean): void {
  keepInTab("signed-in", signedIn ? "yes" : "");
  if (!signedIn) keepInTab("words", "");
}

export const wasSignedIn = (): boolean => Boolean(keptInTab("signed-in"));

export function remember(name: Name, value: string): void {
  try {
    localStorage.setItem(`bedside.${name}`, value);
  } catch {
    // Storage may be switched off by policy: the choice then lasts as long as the page.
  }
}
