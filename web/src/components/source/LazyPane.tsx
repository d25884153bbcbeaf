// The source's pane, which comes while the first question is typed: who only asks need not wait for it.
import { type ComponentProps, lazy } from "react";
import { useMessages } from "../../i18n";
import { Optional } from "../shared/controls/Optional";

export const pane = () => import("./SourcePane");
const SourcePane = lazy(async () => ({ default: (await pane()).SourcePane }));

export function LazyPane(props: ComponentProps<typeof SourcePane>) {
  const m = useMessages();
  return (
    <Optional fallback={<p role="status">{m.viewer.loading}</p>} failed={<p role="alert">{m.viewer.failed}</p>}>
      <SourcePane {...props} />
    </Optional>
  );
}
