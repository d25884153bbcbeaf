// The trail, for auditors: whether it is as it was written, and its entries by person, action,
// document, outcome and period.
import { type Ref, useRef, useState } from "react";
import { failureWords, useStaffMessages } from "../../i18n";
import { exportUrl, useEntries } from "../../queries/staff/audit";
import { type Asked, EVERYTHING, queryOf } from "../../state/staff/audit";
import { Staff } from "../shared/frame/Staff";
import { ChainState } from "./ChainState";
import { EntryRow } from "./EntryRow";
import { Filters } from "./Filters";

export function Audit() {
  const m = useStaffMessages();
  const [{ asked, time }, setAsked] = useState({ asked: EVERYTHING, time: 0 });
  // how often an entry's own way to others was taken: the form then says that
  const [follows, setFollows] = useState(0);
  const said = useRef<HTMLParagraphElement>(null);
  const ask = (wanted: Asked): void => setAsked((before) => ({ asked: wanted, time: before.time + 1 }));
  const follow = (wanted: Asked): void => {
    ask(wanted);
    setFollows(follows + 1);
    said.current?.focus(); // where the focus was is gone
  };
  return (
    <Staff page="audit" lead={m.audit.lead}>
      <ChainState />
      <Filters key={follows} asked={asked} onAsk={ask} />
      <Entries asked={asked} time={time} said={said} onAsk={follow} />
    </Staff>
  );
}

interface EntriesProps {
  asked: Asked;
  time: number;
  said: Ref<HTMLParagraphElement>; // how many there are
  onAsk(asked: Asked): void;
}

function Entries({ asked, time, said, onAsk }: EntriesProps) {
  const m = useStaffMessages();
  const query = queryOf(asked);
  const list = useEntries(query, time);
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <>
      {list.error && (
        <p className="notice serious" role="alert">
          {failureWords(list.error.code, m)}
        </p>
      )}
      <p className="made" ref={said} tabIndex={-1}>
        <span role="status">{list.isPending ? m.viewer.loading : m.audit.shown(entries.length)}</span>
        {entries.length > 0 && (
          <a className="link" href={exportUrl(query)} download>
            {m.audit.export}
          </a>
        )}
      </p>
      {list.isSuccess && entries.length === 0 && (
        <p className="empty-list">
          {list.data.pages[0]?.documents === 0 ? m.audit.noDocument(query.document ?? "") : m.audit.none}
        </p>
      )}
      <ul className="entries">
        {entries.map((entry) => (
          <EntryRow key={entry.sequence} entry={entry} onAsk={onAsk} />
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" className="link" disabled={list.isFetching} onClick={() => void list.fetchNextPage()}>
          {m.audit.more}
        </button>
      )}
    </>
  );
}
