// Words that the reader copies out of an answer take along where they come from: pasted into a
// record, a dose keeps its document.
import type { ClipboardEvent } from "react";

/**
 * `origin`: what stands under the words. The browser's own copy is kept, as text and with its
 * tables.
 */
export function copyWithOrigin(event: ClipboardEvent, origin: string): void {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return;
  const holder = document.createElement("div");
  holder.append(selection.getRangeAt(0).cloneContents());
  for (const control of holder.querySelectorAll(".ticks, .to-dial, .print-only")) control.remove();
  for (const mark of holder.querySelectorAll("sup")) mark.textContent = ` [${mark.textContent}]`;
  for (const line of origin.split("\n"))
    holder.append(Object.assign(document.createElement("p"), { textContent: line }));
  event.clipboardData.setData("text/plain", `${selection}\n\n${origin}`);
  event.clipboardData.setData("text/html", holder.innerHTML);
  event.preventDefault();
}
