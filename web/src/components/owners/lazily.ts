// What comes with the first answer and not with the page: the way to a document's owner.
import { lazy } from "react";

export const AfterRefusal = lazy(async () => ({ default: (await import("./AfterRefusal")).AfterRefusal }));
export const AskOwner = lazy(async () => ({ default: (await import("./AskOwner")).AskOwner }));
