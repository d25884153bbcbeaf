// What comes with the first answer and not with the page: lists that are ticked off, numbers that
// are dialled, what its asker must decide first, what paper holds, and what its reader says of it.
import { lazyPart } from "../../shared/controls/lazyPart";
import { Optional } from "../../shared/controls/Optional";

export const Checklist = lazyPart(async () => (await import("../../steps/Checklist")).Checklist);
export const TickedTable = lazyPart(async () => (await import("../../steps/TickedTable")).TickedTable);
const dialled = () => import("../../steps/Dialled");
const Dialled = lazyPart(async () => (await dialled()).Dialled);
const ToDial = lazyPart(async () => (await dialled()).ToDial);

export const Identity = lazyPart(async () => (await import("../notices/Identity")).Identity);
const later = () => import("../later");
export const Feedback = lazyPart(async () => (await later()).Feedback);
export const PrintedSources = lazyPart(async () => (await later()).PrintedSources);
export const Made = lazyPart(async () => (await later()).Made);
export const ReadAloud = lazyPart(async () => (await import("../ReadAloud")).ReadAloud);

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
