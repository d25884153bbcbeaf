// What a webhook was told, the latest first: delivered, waiting for another try, or given up, and
// why. Looked at again while it is shown.
import type { Delivery } from "../../../api/types";
import { formatInstant, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useDeliveries } from "../../../queries/staff/webhooks";
import { Problem } from "../../shared/controls/Problem";

export function Deliveries({ id }: { id: string }) {
  const m = useStaffMessages();
  const { data, error } = useDeliveries(id);
  return (
    <>
      <Problem code={error?.code} />
      {data?.deliveries.length === 0 && <p className="muted">{m.webhooks.noDeliveries}</p>}
      <ul className="deliveries" aria-live="polite">
        {data?.deliveries.map((one) => (
          <li key={one.id}>
            <strong>{m.webhooks.events[one.event]}</strong> {one.document}
            <br />
            <span className={one.failed_at ? "wrong" : "muted"}>{stateOf(one, m)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function stateOf({ sent_at, failed_at, next_at, tries, problem }: Delivery, m: StaffMessages): string {
  if (sent_at) return m.webhooks.sentAt(formatInstant(sent_at, m));
  if (failed_at) return m.webhooks.gaveUp(formatInstant(failed_at, m), problem);
  return problem && next_at ? m.webhooks.again(tries, problem, formatInstant(next_at, m)) : m.webhooks.sending;
}
