// The reader's few choices, kept on this device; a browser that keeps nothing still works. No
// question or answer stays when the tab is closed.

type Name = "language" | "theme" | "size" | "asker" | "documents" | "split" | "aloud" | "used";

export function recall(name: Name): string | null {
  try {
    return localStorage.getItem(`bedside.${name}`);
  } catch {
    return null;
  }
}

/** For this tab alone, on all of its pages. */
export function keptInTab(name: "steps"): string | null {
  try {
    return sessionStorage.getItem(`bedside.${name}`);
  } catch {
    return null;
  }
}

export function keepInTab(name: "steps", value: string): void {
  try {
    sessionStorage.setItem(`bedside.${name}`, value);
  } catch {
    // Switched off by policy: it then lasts as long as the page.
  }
}

export function remember(name: Name, value: string): void {
  try {
    localStorage.setItem(`bedside.${name}`, value);
  } catch {
    // Storage may be switched off by policy: the choice then lasts as long as the page.
  }
}
