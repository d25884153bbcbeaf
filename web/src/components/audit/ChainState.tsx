// Whether the trail is as it was written: what the last verification found, and a new one.

import type { Verified } from "../../api/types";
import { failureWords, formatInstant, type StaffMessages, useStaffMessages } from "../../i18n";
import { useChain, useVerify } from "../../queries/staff/audit";

export function ChainState() {
  const m = useStaffMessages();
  const chain = useChain();
  const verify = useVerify();
  const verified = verify.data ?? chain.data?.verified;
  const head = chain.data?.head?.sequence ?? 0;
  const error = verify.error ?? chain.error;
  return (
    <section className="card chain" aria-label={m.audit.chain}>
      <h3 className="document-title">{m.audit.chain}</h3>
      <div role="status">
        {chain.data && <p>{head > 0 ? m.audit.head(head) : m.audit.headEmpty}</p>}
        {chain.data && <Said verified={verified ?? null} head={head} />}
        {verify.isPending && <p className="muted">{m.audit.verifying}</p>}
      </div>
      {error && (
        <p className="notice serious" role="alert">
          {error.code === "conflict" ? m.audit.busy : failureWords(error.code, m)}
        </p>
      )}
      <button type="button" className="button" disabled={verify.isPending} onClick={() => verify.mutate()}>
        {m.audit.verify}
      </button>
    </section>
  );
}

function Said({ verified, head }: { verified: Verified | null; head: number }) {
  const m = useStaffMessages();
  if (!verified) return <p>{m.audit.never}</p>;
  const { bad, entries, anchors, at } = verified;
  if (bad)
    return (
      <p className="notice serious">
        {m.audit.broken(formatInstant(at, m), bad.sequence, m.audit.why[bad.why])} {m.audit.whatNow}
      </p>
    );
  return (
    <>
      <p className="sound">{soundWords(verified, m)}</p>
      {head > entries && <p className="muted">{m.audit.since(head - entries)}</p>}
      {anchors === 0 && <p className="muted">{m.audit.noAnchor}</p>}
    </>
  );
}

const soundWords = ({ at, entries }: Verified, m: StaffMessages): string =>
  m.audit.sound(formatInstant(at, m), entries);
