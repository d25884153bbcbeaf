// What comes with the first answer and not with the page: lists that are ticked off, numbers that
// are dialled, what its asker must decide first, what paper holds, and what its reader says of it.
import { lazy } from "react";
import { Optional } from "../../shared/controls/Optional";

export const Checklist = lazy(async () => ({ default: (await import("../../steps/Checklist")).Checklist }));
export const TickedTable = lazy(async () => ({ default: (await import("../../steps/TickedTable")).TickedTable }));
const dialled = () => import("../../steps/Dialled");
const Dialled = lazy(async () => ({ default: (await dialled()).Dialled }));
const ToDial = lazy(async () => ({ default: (await dialled()).ToDial }));

export const Identity = lazy(async () => ({ default: (await import("../notices/Identity")).Identity }));
export const Feedback = lazy(async () => ({ default: (await import("../Feedback")).Feedback }));
export const PrintedSources = lazy(async () => ({ default: (await import("../Printed")).PrintedSources }));
export const Made = lazy(async () => ({ default: (await import("../Made")).Made }));
export const ReadAloud = lazy(async () => ({ default: (await import("../ReadAloud")).ReadAloud }));

const mayHoldNumber = (text: string): boolean => /\d\D{0,3}\d\D?\d/.test(text);

/** Words in which the telephone numbers can be pressed. */
export const Pressable = ({ text }: { text: string }) =>
  mayHoldNumber(text) ? (
    <Optional fallback={text}>
      <Dialled text={text} />
    </Optional>
  ) : (
    text
  );

/** The telephone numbers of words that are a link themselves. */
export const Numbers = ({ text }: { text: string }) =>
  mayHoldNumber(text) && (
    <Optional fallback={null}>
      <ToDial text={text} />
    </Optional>
  );
