// What comes with the first answer and not with the page: the way to a document's owner.
import { lazyPart } from "../shared/controls/lazyPart";

export const AfterRefusal = lazyPart(async () => (await import("./AfterRefusal")).AfterRefusal);
export const AskOwner = lazyPart(async () => (await import("./AskOwner")).AskOwner);
export const PassOn = lazyPart(async () => (await import("./PassOn")).PassOn);
