// The source's pane, which comes while the first question is typed: who only asks need not wait for
// it.
import { type ComponentProps, useState } from "react";
import { useMessages } from "../../i18n";
import { lazyPart } from "../shared/controls/lazyPart";
import { Optional } from "../shared/controls/Optional";

export const pane = () => import("./SourcePane");
const SourcePane = lazyPart(async () => (await pane()).SourcePane);

export function LazyPane(props: ComponentProps<typeof SourcePane>) {
  const m = useMessages();
  const [before] = useState(() => document.activeElement); // later the rest is out of reach
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
      <SourcePane {...props} before={before} />
    </Optional>
  );
}
