// One entry: when, who, what, on what, with what outcome; opened, all of it, and the ways to what
// belongs with it.
import { Fragment, type ReactNode, useState } from "react";
import type { Entry } from "../../api/types";
import { formatInstant, useStaffMessages } from "../../i18n";
import { type Asked, documentsOf, EVERYTHING, namesByUse, othersOf } from "../../state/staff/audit";
import { actionWords, concernedWords, documentWords, whoWords } from "./table";

const NAMED = 3; // documents of a folded entry; opened it names all

interface Props {
  entry: Entry;
  onAsk(asked: Asked): void;
}

export function EntryRow({ entry, onAsk }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <li className="entry">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <Summary entry={entry} />
        {open && <Detail entry={entry} onAsk={onAsk} />}
      </details>
    </li>
  );
}

function Summary({ entry }: { entry: Entry }) {
  const m = useStaffMessages();
  const { at, result } = entry;
  const concerned = concernedWords(entry, m);
  return (
    <summary>
      <time dateTime={at}>{formatInstant(at, m)}</time>
      <span className="entry-who">{whoWords(entry, m)}</span>
      <span className="entry-what">
        {actionWords(entry, m)}
        {concerned && <span className="muted"> {concerned}</span>}
        {namesByUse(entry).map(([use, names]) => (
          <span key={use} className="muted">
            {" "}
            {use && `${m.audit.uses[use]}:`} {m.audit.sources(names.slice(0, NAMED), names.length)}
          </span>
        ))}
      </span>
      <span className={result === "refused" || result === "failed" ? "entry-result wrong" : "entry-result muted"}>
        {m.audit.results[result]}
      </span>
    </summary>
  );
}

function Detail({ entry, onAsk }: Props) {
  const m = useStaffMessages();
  const names = m.audit.fields;
  const { who, about, question, request } = entry;
  const roleNames: Record<string, string> = m.roles;
  const also = (part: Partial<Asked>, words: string): ReactNode => (
    <button type="button" className="link" onClick={() => onAsk({ ...EVERYTHING, ...part })}>
      {words}
    </button>
  );
  const rows: [string, ReactNode][] = [
    [names.sequence, entry.sequence],
    [names.action, actionWords(entry, m)],
    [
      names.user,
      who?.user && (
        <>
          {who.login || who.user} {also({ user: who.user }, m.audit.ofPerson)}
        </>
      ),
    ],
    [names.roles, who?.roles.map((role) => roleNames[role] ?? role).join(", ")],
    [names.function, who?.function],
    [names.department, who?.department],
    [names.client, who?.client],
    [names.key, who?.key],
    [names.account, about?.account && concernedWords(entry, m)],
    [names.reason, about?.reason],
    [names.question, question && (question.text || m.audit.questionHash(question.sha256))],
    [names.documents, documentsOf(entry).length > 0 && <Documents entry={entry} onAsk={onAsk} />],
    [names.on, othersOf(entry, m.audit.truth).length > 0 && <Others entry={entry} />],
    [names.origin, m.audit.origins[entry.origin] ?? entry.origin],
    [names.route, entry.route],
    [names.status, entry.status || ""],
    [names.code, entry.code],
    [
      names.request,
      request && (
        <>
          {request} {also({ request }, m.audit.ofRequest)}
        </>
      ),
    ],
    [names.erased, entry.erased.map((part) => m.audit.parts[part] ?? part).join(", ")],
    [names.buffered, entry.buffered && m.audit.bufferedYes],
    [names.hash, <code key="hash">{entry.hash}</code>],
  ];
  return (
    <dl className="entry-detail">
      {rows.map(
        ([name, value]) =>
          Boolean(value) && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}

function Documents({ entry, onAsk }: Props) {
  const m = useStaffMessages();
  return (
    <ul>
      {documentsOf(entry).map((document) => (
        <li key={document.id}>
          {documentWords(document, m)}{" "}
          <button
            type="button"
            className="link"
            onClick={() => onAsk({ ...EVERYTHING, document: document.source || document.id })}
          >
            {m.audit.ofDocument}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Others({ entry }: { entry: Entry }) {
  const m = useStaffMessages();
  return (
    <ul>
      {othersOf(entry, m.audit.truth).map(([name, value]) => (
        <li key={name}>
          {m.audit.about[name] ? `${m.audit.about[name]}:` : <code>{name}</code>} {value}
        </li>
      ))}
    </ul>
  );
}
