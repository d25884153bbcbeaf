// Why somebody sees a document, or does not: by which group, who put them in it, and who gave it
// the document.
import { useState } from "react";
import type { Account, Why as Answer, DocumentSummary } from "../../../api/types";
import { failureWords, formatMoment, type StaffMessages, useStaffMessages } from "../../../i18n";
import { useDocumentsCalled } from "../../../queries/documents/pages";
import { useWhy } from "../../../queries/staff/accounts";
import { useDelayed } from "../../../queries/useDelayed";

export function Why({ account }: { account: Account }) {
  const m = useStaffMessages();
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<DocumentSummary | null>(null);
  const search = useDelayed(words.trim());
  const found = useDocumentsCalled(search);
  const why = useWhy(account.id);
  const choose = (document: DocumentSummary): void => {
    setChosen(document);
    why.mutate(document.id);
  };
  return (
    <details className="why">
      <summary className="link">{m.accounts.why}</summary>
      <label className="admin-search">
        {m.accounts.whySearch}
        <input type="search" value={words} maxLength={200} onChange={(event) => setWords(event.target.value)} />
      </label>
      <p className="field-help">{m.accounts.whyLead}</p>
      {search !== "" && found.data?.length === 0 && <p className="field-help">{m.accounts.whyNone}</p>}
      {search !== "" && (
        <ul className="choices">
          {found.data?.map((document) => (
            <li key={document.id}>
              <button
                type="button"
                className="quiet"
                aria-pressed={document.id === chosen?.id}
                onClick={() => choose(document)}
              >
                {document.title} <span className="muted">{document.source}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="why-answer" role="status">
        {why.error && <p className="wrong">{failureWords(why.error.code, m)}</p>}
        {chosen && why.data && <Explained answer={why.data} title={chosen.title} />}
      </div>
    </details>
  );
}

function Explained({ answer, title }: { answer: Answer; title: string }) {
  const m = useStaffMessages();
  const { name, sees, access } = answer;
  const { said_by, said_at, user_name } = access;
  const who = user_name && said_at ? m.accounts.saidAt(user_name, formatMoment(said_at, m)) : "";
  return (
    <>
      <p>
        <strong>{sees ? m.accounts.sees(name, title) : m.accounts.seesNot(name, title)}</strong>
      </p>
      <ul>
        {reasonsOf(answer, m).map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <p>
        {m.accounts.mayRead(access.groups.map(m.accounts.groupName).join(", "))} {m.accounts.saidBy[said_by]}
        {who}.
      </p>
    </>
  );
}

function reasonsOf({ suspended, reader, through }: Answer, m: StaffMessages): string[] {
  const { notSuspended, notReader, notMember, givenBy, and, through: by } = m.accounts;
  const groups = through.map(({ group, given_by }) => by(group, given_by.map((how) => givenBy[how]).join(and)));
  return [
    ...(suspended ? [notSuspended] : []),
    ...(reader ? [] : [notReader]),
    ...(through.length === 0 ? [notMember] : groups),
  ];
}
