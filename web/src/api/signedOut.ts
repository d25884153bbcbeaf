// Who was signed in no longer is: said by whatever is refused for it. The question that was typed
// is kept, in this page's memory only.

const NAME = "bedside:signed-out";
let kept = "";

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
