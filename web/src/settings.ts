// The reader's few choices, kept on this device; a browser that keeps nothing still works. No
// question or answer goes here.

type Name = "language" | "theme" | "size" | "asker" | "documents" | "split" | "aloud";

export function recall(name: Name): string | null {
  try {
    return localStorage.getItem(`bedside.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: Name, value: string): void {
  try {
    localStorage.setItem(`bedside.${name}`, value);
  } catch {
    // Storage may be switched off by policy: the choice then lasts as long as the page.
  }
}
