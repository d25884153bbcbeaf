// The keys of machines: which work, until when, and their end.
import { useRef, useState } from "react";
import type { Key, NewKey as Made } from "../../../api/types";
import { formatMoment, useStaffMessages } from "../../../i18n";
import { useKeys, useRevokeKey } from "../../../queries/staff/keys";
import { daysLeft, stateOf } from "../../../state/staff/account";
import { accountInAddress } from "../../../state/staff/addresses";
import { Choice } from "../../shared/controls/Choice";
import { Confirm } from "../../shared/controls/Confirm";
import { Problem } from "../../shared/controls/Problem";
import { Staff } from "../../shared/frame/Staff";
import { KeyMade } from "./KeyMade";
import { NewKey } from "./NewKey";

const WHICH = ["live", "all"] as const;
const SOON = 14; // days: in time to make another

export function Keys() {
  const m = useStaffMessages();
  const of = accountInAddress(location.search);
  const [which, setWhich] = useState<(typeof WHICH)[number]>("live");
  const [adding, setAdding] = useState(of !== "");
  const [made, setMade] = useState<Made | null>(null);
  const [said, setSaid] = useState("");
  const opener = useRef<HTMLButtonElement>(null);
  const { data, error } = useKeys();
  const revoke = useRevokeKey();
  const keys = data?.keys.filter((key) => which === "all" || stateOf(key, new Date()) === "live") ?? [];
  const close = (): void => {
    setAdding(false);
    setMade(null);
    opener.current?.focus(); // where the focus was is gone
  };
  return (
    <Staff page="keys" lead={m.keys.lead}>
      <div className="field-row">
        <Choice
          className="document-field"
          label={m.keys.which}
          value={which}
          options={WHICH.map((one) => [one, m.keys.kinds[one]] as const)}
          onValue={(chosen) => setWhich(chosen || "live")}
        />
      </div>
      <p className="judge-foot">
        <button type="button" className="button" ref={opener} aria-expanded={adding} onClick={() => setAdding(true)}>
          {m.keys.new}
        </button>
        <span role="status">{said}</span>
      </p>
      {made ? <KeyMade made={made} onDone={close} /> : adding && <NewKey of={of} onMade={setMade} onCancel={close} />}
      <Problem code={(error ?? revoke.error)?.code} />
      {data && keys.length === 0 && (
        <p className="empty-list">{data.keys.length === 0 ? m.keys.noneAll : m.keys.none}</p>
      )}
      <ul className="cards">
        {keys.map((key) => (
          <Row
            key={key.id}
            shown={key}
            onRevoke={() => revoke.mutate(key.id, { onSuccess: () => setSaid(m.keys.revoked(key.name)) })}
          />
        ))}
      </ul>
    </Staff>
  );
}

function Row({ shown, onRevoke }: { shown: Key; onRevoke(): void }) {
  const m = useStaffMessages();
  const now = new Date();
  const state = stateOf(shown, now);
  const left = daysLeft(shown, now);
  const facts = [
    m.keys.acts(shown.account),
    `${shown.prefix}…`,
    shown.scopes.join(", "),
    state === "live" && m.keys.until(formatMoment(shown.expires_at, m)),
    state === "expired" && m.keys.ended(formatMoment(shown.expires_at, m)),
    state === "revoked" && shown.revoked_at && m.keys.revokedAt(formatMoment(shown.revoked_at, m)),
    shown.used_at ? m.keys.used(formatMoment(shown.used_at, m)) : m.keys.neverUsed,
  ].filter(Boolean);
  return (
    <li className="card">
      <h3 className="document-title">{shown.name}</h3>
      <p className="facts">
        {facts.map((fact) => (
          <span key={String(fact)}>{fact}</span>
        ))}
      </p>
      {state === "live" && left < SOON && <p className="caution">{m.keys.soon(left)}</p>}
      {state === "live" && (
        <Confirm
          label={m.keys.revoke}
          question={m.keys.sureRevoke(shown.name)}
          yes={m.keys.yesRevoke}
          onYes={onRevoke}
        />
      )}
    </li>
  );
}
