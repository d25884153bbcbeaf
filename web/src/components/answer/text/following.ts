// A link that opens beside the answer, unless its reader wants another tab: that is the browser's.
import type { MouseEvent } from "react";

export const following =
  (open: () => void) =>
  (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  };
