// The source's pane, which comes while the first question is typed: who only asks need not wait for
// it.
import { type ComponentProps, lazy, useEffect, useState } from "react";
import { useMessages } from "../../i18n";
import { Optional } from "../shared/controls/Optional";

export const pane = () => import("./SourcePane");
const SourcePane = lazy(async () => ({ default: (await pane()).SourcePane }));

export function LazyPane(props: ComponentProps<typeof SourcePane>) {
  const m = useMessages();
  useFocusBack(props.over);
  return (
    <Optional
      fallback={
        <section aria-label={m.app.source}>
          <p className="muted">{m.viewer.loading}</p>
        </section>
      }
      failed={
        <p className="banner serious" role="alert">
          {m.viewer.failed}
        </p>
      }
    >
      <SourcePane {...props} />
    </Optional>
  );
}

/**
 * What lies over the rest gives the focus back to where it came from: known only before the rest is
 * out of reach.
 */
function useFocusBack(over: boolean): void {
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    if (!over) return;
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [over, before]);
}
