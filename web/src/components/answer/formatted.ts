// An answer on the clipboard: with its lists, tables and links for a word processor, and as plain
// text for what takes no more.

const KEPT = "p, ul, ol, li, table, thead, tbody, tr, th, td, strong, a";

/**
 * Whether it was copied. `drawn`: the answer on the page; `origin`: what stands under it, wherever
 * it is pasted.
 */
export async function copyAnswer(drawn: Element, text: string, origin: string): Promise<boolean> {
  const plain = `${text.trimEnd()}\n\n${origin}`;
  const held = (type: string, words: string): Blob => new Blob([words], { type });
  try {
    const html = held("text/html", markup(drawn, origin));
    await navigator.clipboard.write([
      new ClipboardItem({ "text/html": html, "text/plain": held("text/plain", plain) }),
    ]);
    return true;
  } catch {
    return navigator.clipboard?.writeText(plain).then(
      () => true,
      () => false,
    );
  }
}

/**
 * The answer's own markup without this page's: no classes, no controls, numbers of sources apart
 * from the words before them.
 */
export function markup(drawn: Element, origin: string): string {
  const holder = document.createElement("div");
  holder.append(drawn.cloneNode(true));
  for (const control of holder.querySelectorAll(
    "button, input, .sr-only, .print-only, [role=status], .ticks, .to-dial",
  ))
    control.remove();
  for (const mark of holder.querySelectorAll("sup")) mark.replaceWith(` [${mark.textContent}]`);
  for (const label of holder.querySelectorAll(".label")) label.append(" ");
  for (const one of Array.from(holder.querySelectorAll("*"))) {
    const { href, colSpan, lang } = { href: "", colSpan: 1, lang: "", ...pick(one) };
    for (const { name } of Array.from(one.attributes)) one.removeAttribute(name);
    if (href) one.setAttribute("href", href); // whole: relative, it would lead nowhere from a document
    if (colSpan > 1) one.setAttribute("colspan", String(colSpan));
    if (lang) one.setAttribute("lang", lang);
    if (!one.matches(KEPT)) one.replaceWith(...one.childNodes);
  }
  for (const line of origin.split("\n"))
    holder.append(Object.assign(document.createElement("p"), { textContent: line }));
  return holder.innerHTML;
}

function pick(one: Element): { href?: string; colSpan?: number; lang?: string } {
  if (one instanceof HTMLAnchorElement) return { href: one.href, lang: one.lang };
  if (one instanceof HTMLTableCellElement) return { colSpan: one.colSpan };
  return one instanceof HTMLElement ? { lang: one.lang } : {};
}
