// Of a downtime pack: how old it is, until when it answers, that nothing is kept, and whether the
// model is missing that must agree elsewhere. Serious when it answers no more.
import { formatInstant, useWardMessages } from "../../../i18n";
import type { Session } from "../../../queries/session";

const SLOW_CLOCK = 600_000; // milliseconds that this machine's clock may be behind the server's, as the service allows

export default function PackBanner({ pack }: { pack: NonNullable<Session["pack"]> }) {
  const m = useWardMessages();
  const [made, until] = [pack.made_at, pack.valid_until].map((moment) =>
    formatInstant(moment, m).replace(/:\d\d$/, ""),
  );
  const now = Date.now();
  if (now > Date.parse(pack.valid_until)) return <p className="banner serious">{m.pack.over(until ?? "")}</p>;
  if (now < Date.parse(pack.made_at) - SLOW_CLOCK) return <p className="banner serious">{m.pack.clock(made ?? "")}</p>;
  const alone = pack.without_reader ? ` ${m.pack.alone}` : "";
  return <p className="banner">{`${m.pack.age(made ?? "", until ?? "")}${alone}`}</p>;
}
