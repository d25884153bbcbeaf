// Webhooks: where changes of documents are told, whether that comes through, and a test of it.
import { useState } from "react";
import type { NewWebhook as Made, Webhook } from "../../../api/types";
import { formatInstant, useStaffMessages } from "../../../i18n";
import { useDeleteWebhook, useTestWebhook, useWebhooks } from "../../../queries/staff/webhooks";
import { Confirm } from "../../shared/controls/Confirm";
import { Problem } from "../../shared/controls/Problem";
import { Staff } from "../../shared/frame/Staff";
import { Deliveries } from "./Deliveries";
import { NewWebhook, SecretMade } from "./NewWebhook";

export function Webhooks() {
  const m = useStaffMessages();
  const [made, setMade] = useState<Made | null>(null);
  const { data, error } = useWebhooks();
  const remove = useDeleteWebhook();
  return (
    <Staff page="webhooks" lead={m.webhooks.lead}>
      {made ? <SecretMade made={made} onDone={() => setMade(null)} /> : <NewWebhook onMade={setMade} />}
      <Problem code={(error ?? remove.error)?.code} />
      {data?.webhooks.length === 0 && <p className="empty-list">{m.webhooks.none}</p>}
      <ul className="cards">
        {data?.webhooks.map((one) => (
          <Row key={one.id} shown={one} onDelete={() => remove.mutate(one.id)} />
        ))}
      </ul>
    </Staff>
  );
}

function Row({ shown, onDelete }: { shown: Webhook; onDelete(): void }) {
  const m = useStaffMessages();
  const [open, setOpen] = useState(false);
  const test = useTestWebhook(shown.id);
  const { url, waiting, failed, last_sent_at, problem } = shown;
  const facts = [
    last_sent_at ? m.webhooks.lastSent(formatInstant(last_sent_at, m)) : m.webhooks.neverSent,
    waiting > 0 && m.webhooks.waiting(waiting),
    failed > 0 && m.webhooks.failed(failed),
  ].filter((fact): fact is string => typeof fact === "string");
  return (
    <li className="card webhook">
      <h3 className="document-title">{url}</h3>
      <p className="facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {problem && <p className="caution">{m.webhooks.problem(problem)}</p>}
      <Problem code={test.error?.code} />
      <p className="judge-foot">
        <button
          type="button"
          className="button"
          aria-label={`${m.webhooks.test}: ${url}`}
          disabled={test.isPending}
          onClick={() => test.mutate(undefined, { onSuccess: () => setOpen(true) })}
        >
          {m.webhooks.test}
        </button>
        <Confirm label={m.webhooks.remove} question={m.webhooks.sureRemove(url)} yes={m.confirm.yes} onYes={onDelete} />
      </p>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="link">{m.webhooks.deliveries}</summary>
        {open && <Deliveries id={shown.id} />}
      </details>
    </li>
  );
}
