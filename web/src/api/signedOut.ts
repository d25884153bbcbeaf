// Who was signed in no longer is: said by whatever is refused for it. The question that was typed
// is kept, in this page's memory only.

const NAME = "bedside:signed-out";
let kept = "";

const IN_TAB = "bedside.signed-in";

/**
 * Notes in this tab that somebody is signed in, or left by themselves: a page loaded after a
 * session ended can then say so.
 */
export function noteSignedIn(signedIn: boolean): void {
  try {
    if (signedIn) sessionStorage.setItem(IN_TAB, "yes");
    else sessionStorage.removeItem(IN_TAB);
  } catch {
    // Storage may be switched off by policy: the page then greets as if nobody had been here.
  }
}

export function wasSignedIn(): boolean {
  try {
    return sessionStorage.getItem(IN_TAB) !== null;
  } catch {
    return false;
  }
}

export function saySignedOut(): void {
  window.dispatchEvent(new Event(NAME));
}

export function onSignedOut(act: () => void): () => void {
  addEventListener(NAME, act);
  return () => removeEventListener(NAME, act);
}

export function keepQuestion(question: string): void {
  if (question.trim() !== "") kept = question;
}

export const keptQuestion = (): string => kept;

export function forgetQuestion(): void {
  kept = "";
}
