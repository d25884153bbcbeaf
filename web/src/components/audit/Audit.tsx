// The trail, for auditors: whether it is as it was written, and its entries by person, action,
// document, outcome and period.
import { type Ref, useRef, useState } from "react";
import type { Entry } from "../../api/types";
import { useStaffMessages } from "../../i18n";
import { exportUrl, useEntries, useExport } from "../../queries/staff/audit";
import { type Asked, actsOf, EVERYTHING, fileOf, queryOf } from "../../state/staff/audit";
import { download } from "../../state/window/download";
import { csvOf } from "../../text/csv";
import { Problem } from "../shared/controls/Problem";
import { Staff } from "../shared/frame/Staff";
import { ChainState } from "./ChainState";
import { EntryRow } from "./EntryRow";
import { Filters } from "./Filters";
import { tableOf } from "./table";

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
  const file = useExport();
  const read = list.data?.pages.flatMap((page) => page.entries) ?? [];
  const lines = asked.request ? (all: Entry[]): Entry[] => all : actsOf;
  const entries = lines(read);
  const [first] = list.data?.pages ?? [];
  const fitting = Math.max(entries.length, (asked.request ? first?.fitting : first?.acts) ?? 0);
  const save = (): void =>
    file.mutate(query, {
      onSuccess: (all) => download(fileOf(asked, all), csvOf(tableOf(lines(all), m)), "text/csv"),
    });
  return (
    <>
      <Problem code={list.error?.code} />
      <p className="made" ref={said} tabIndex={-1}>
        <span role="status">{list.isPending ? m.viewer.loading : m.audit.shown(entries.length, fitting)}</span>
        {entries.length > 0 && (
          <>
            <button type="button" className="link" disabled={file.isPending} onClick={save}>
              {file.isPending ? m.viewer.loading : m.audit.table}
            </button>
            <a className="link" href={exportUrl(query)} download aria-describedby="audit-questions">
              {m.audit.export}
            </a>
          </>
        )}
      </p>
      {entries.length > 0 && (
        <p className="muted" id="audit-questions">
          {m.audit.questionsIn}
        </p>
      )}
      <Problem code={file.error?.code} />
      {list.isSuccess && entries.length === 0 && (
        <p className="empty-list">{first?.documents === 0 ? m.audit.noDocument(query.document ?? "") : m.audit.none}</p>
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
