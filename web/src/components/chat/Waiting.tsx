// On the first page, for whom something waits at the owners' page: what, and the way there.
import type { OwnerNews } from "../../api/types";
import { useOwnerMessages } from "../../i18n";
import { pathOf } from "../../state/window/route";

const KINDS = ["news", "waiting", "promised", "to_review"] as const;

export function Waiting({ counts }: { counts: OwnerNews }) {
  const m = useOwnerMessages();
  return (
    <p className="notice">
      <a href={pathOf("inbox")}>
        {KINDS.flatMap((kind) => (counts[kind] ? m.waiting[kind](counts[kind]) : [])).join("; ")}
      </a>
    </p>
  );
}
