// The documents list with what is said of each; an admin changes it here, one by one or many at
// once.
import { useEffect, useRef, useState } from "react";
import type { DocumentSummary } from "../../../api/types";
import { formatInstant, useStaffMessages } from "../../../i18n";
import { useRoles } from "../../../queries/session";
import {
  allDocuments,
  type Listed,
  useDocuments,
  useRestore,
  useRetire,
  useRetry,
} from "../../../queries/staff/documents";
import { useDelayed } from "../../../queries/useDelayed";
import { mayLoad, placePath, rolesOf } from "../../../state/window/route";
import { useKeptHere, usePlaceKept } from "../../../state/window/useKeptHere";
import { isExpired, validityOf } from "../../../text/documents/facts";
import { isReviewLate, reviewedWords } from "../../../text/documents/reviewed";
import { Confirm } from "../../shared/controls/Confirm";
import { Problem } from "../../shared/controls/Problem";
import { SaveList } from "../../shared/document/SaveList";
import { StillHolds } from "../../shared/document/StillHolds";
import { Staff } from "../../shared/frame/Staff";
import { Withdraw, WithdrawalReason } from "../Withdraw";
import { Access } from "./Access";
import { Bulk } from "./Bulk";
import { DocumentForm } from "./DocumentForm";
import { ListFilters } from "./ListFilters";
import { Load } from "./Load";
import { Notes } from "./Notes";

const FIRST: Listed = { search: "", shown: "", department: "", owner: null, order: "" };

export function Documents() {
  const m = useStaffMessages();
  const [wanted, show] = useKeptHere(FIRST);
  const [chosen, setChosen] = useState<readonly DocumentSummary[]>([]);
  const [round, setRound] = useState(0); // a form that was open before many were changed shows what was said before
  const [gone, setGone] = useState(""); // what was done with a document that is no longer listed
  const [back, setBack] = useState<DocumentSummary | null>(null); // what was put back, which is listed elsewhere
  const notice = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (gone) notice.current?.focus(); // where the focus was is gone
  }, [gone]);
  const listed = { ...wanted, search: useDelayed(wanted.search.trim()) };
  const list = useDocuments(listed);
  usePlaceKept(list.isSuccess);
  const restore = useRestore();
  const mayChange = mayLoad(useRoles());
  const documents = list.data?.pages.flatMap((page) => page.documents) ?? [];
  const total = list.data?.pages.at(-1)?.total;
  const choose = (part: Partial<Listed>): void => {
    show(part);
    setChosen([]);
    setGone("");
    setBack(null);
    restore.reset(); // what could not be done is said until something else is
  };
  const changed = (left: readonly DocumentSummary[]): void => {
    setChosen(left);
    setRound(round + 1);
  };
  const toggle = (one: DocumentSummary, on: boolean): void =>
    setChosen(on ? [...chosen, one] : chosen.filter(({ id }) => id !== one.id));
  const putBack = (id: string): void =>
    restore.mutate(id, {
      onSuccess: (document) => {
        setBack(document);
        const groups = document.groups.map(m.accounts.groupName).join(", ");
        setGone(m.access.isBack(document.title, document.version, groups, answersFrom(document)));
      },
    });
  const choosable = mayChange && wanted.shown !== "withdrawn" && wanted.shown !== "earlier";
  return (
    <Staff page="documents" lead={mayChange ? m.admin.lead : m.admin.readersLead}>
      {mayChange && <Load />}
      <ListFilters wanted={wanted} onWanted={choose} />
      <Problem code={list.error?.code} />
      {restore.error && (
        <p className="notice serious" role="alert">
          {m.admin.notRestored}
        </p>
      )}
      {gone && (
        <p className="notice" role="status" tabIndex={-1} ref={notice}>
          {gone}
        </p>
      )}
      {back && !documents.some(({ id }) => id === back.id) && (
        <ul className="cards">
          <Row document={back} chosen={false} onChosen={undefined} mayChange={mayChange} onGone={setGone} />
        </ul>
      )}
      {total !== undefined && !(total === 0 && back) && (
        <p className="made" role="status">
          {total === 0 ? m.admin.noneShown : m.admin.count(documents.length, total)}
        </p>
      )}
      {documents.length > 0 && <SaveList everything={() => allDocuments(listed)} />}
      {choosable && documents.length > 0 && (
        <Bulk
          total={total ?? 0}
          everything={() => allDocuments(listed)}
          chosen={chosen}
          onChosen={setChosen}
          onChanged={changed}
          onWithdrawn={(titles) => setGone(m.admin.areWithdrawn(titles))}
        />
      )}
      <ul className="cards">
        {documents.map((one) =>
          one.status === "retired" || one.status === "replaced" ? (
            <Past
              key={one.id}
              document={one}
              onRestore={mayChange && one.status === "retired" ? () => putBack(one.id) : undefined}
              restoring={restore.isPending && restore.variables === one.id}
            />
          ) : (
            <Row
              key={`${one.id} ${round}`}
              document={one}
              chosen={chosen.some(({ id }) => id === one.id)}
              onChosen={choosable ? (on) => toggle(one, on) : undefined}
              mayChange={mayChange}
              onGone={setGone}
            />
          ),
        )}
      </ul>
      {list.hasNextPage && (
        <button type="button" className="link" onClick={() => void list.fetchNextPage()}>
          {m.admin.more}
        </button>
      )}
    </Staff>
  );
}

interface RowProps {
  document: DocumentSummary;
  chosen: boolean;
  onChosen: ((on: boolean) => void) | undefined;
  mayChange: boolean;
  onGone(said: string): void;
}

function Row({ document, chosen, onChosen, mayChange, onGone }: RowProps) {
  const m = useStaffMessages();
  const [open, setOpen] = useState(false);
  const { id, title, version, source, replaced_by } = document;
  const mayReview = useRoles().some((role) => rolesOf("reviews").includes(role));
  const { mutate: retire, error, reset } = useRetire();
  const titled = (one: NonNullable<typeof replaced_by>): string =>
    [`“${one.title}”`, one.version && m.card.version(one.version)].filter(Boolean).join(", ");
  return (
    <li className="card document">
      {onChosen && (
        <label className="document-choose">
          <input
            type="checkbox"
            checked={chosen}
            aria-label={m.admin.choose(document.title)}
            onChange={(event) => onChosen(event.target.checked)}
          />
        </label>
      )}
      <details onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}>
        <summary>
          <Summary document={document} />
        </summary>
        {open && (
          <>
            <Opening document={document} />
            {mayChange && document.status === "failed" && <Retry id={id} />}
            {mayChange && (
              <Withdraw
                label={m.admin.retire}
                question={m.admin.sureRetire(title, version, source, replaced_by ? titled(replaced_by) : "")}
                yes={m.admin.yesRetire}
                error={error}
                onReason={reset}
                onYes={(why) => retire({ id, ...why }, { onSuccess: () => onGone(m.admin.areWithdrawn([title])) })}
              />
            )}
            <DocumentForm id={id} />
            {mayChange && <Access document={document} onLost={onGone} />}
            {mayReview && <StillHolds document={document} />}
          </>
        )}
      </details>
    </li>
  );
}

function Retry({ id }: { id: string }) {
  const m = useStaffMessages();
  const { mutate, error, isPending } = useRetry();
  return (
    <p>
      <button type="button" className="button" disabled={isPending} onClick={() => mutate(id)}>
        {isPending ? m.admin.steps.reading : m.admin.retry}
      </button>{" "}
      {error && (
        <span role="alert" className="wrong">
          {m.admin.notRetried(m.admin.reasons[error.code] ?? "")}
        </span>
      )}
    </p>
  );
}

interface PastProps {
  document: DocumentSummary;
  restoring: boolean;
  onRestore: (() => void) | undefined;
}

/** What no longer counts: nothing is said of it any more, but it can be looked at. */
function Past({ document, restoring, onRestore }: PastProps) {
  const m = useStaffMessages();
  const { title, version, groups, withdrawn_at, withdrawn_by, withdrawn_reason } = document;
  return (
    <li className="card document">
      <div className="document-withdrawn">
        <Summary document={document} />
        {withdrawn_at && <p>{m.admin.withdrawn(formatInstant(withdrawn_at, m), withdrawn_by, withdrawn_reason)}</p>}
        <Opening document={document} />
        {onRestore && withdrawn_at && <WithdrawalReason document={document} />}
        {onRestore && (
          <p>
            <Confirm
              label={
                <>
                  {m.admin.restore}
                  <span className="sr-only">: {title}</span>
                </>
              }
              question={m.access.sureBack(
                title,
                version,
                groups.map(m.accounts.groupName).join(", "),
                answersFrom(document),
              )}
              yes={restoring ? m.admin.restoring : m.access.yesBack}
              disabled={restoring}
              onYes={onRestore}
            />
          </p>
        )}
      </div>
    </li>
  );
}

/** Whether a question is answered from it, where it counts. */
const answersFrom = (document: DocumentSummary): boolean => document.reason === "" && !isExpired(document);

function Opening({ document: { id } }: { document: DocumentSummary }) {
  const m = useStaffMessages();
  return (
    <p className="document-open">
      <a className="link" href={placePath({ document: id, page: 1, quotes: [] })}>
        {m.admin.openIt}
      </a>
    </p>
  );
}

function Summary({ document }: { document: DocumentSummary }) {
  const m = useStaffMessages();
  const { title, source, status, reason, version, department, owner, target_groups, groups, replaced_by } = document;
  const failed = status === "failed";
  const counts = status !== "retired"; // else nothing of it is valid, nor to be reviewed
  const [validity, reviewed] = counts ? [validityOf(document, m), reviewedWords(document, m)] : [];
  const facts = [
    version && m.card.version(version),
    department,
    target_groups.map((group) => m.card.groups[group]).join(", "),
    owner && m.card.owner(owner),
    groups.length > 0 ? m.access.readBy(groups.map(m.accounts.groupName).join(", ")) : "",
  ].filter(Boolean);
  return (
    <>
      <span className="document-title">{title}</span>
      <span className="facts">
        {[source, ...facts].map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {validity && <span className={isExpired(document) ? "warn" : undefined}>{validity}</span>}
        {reviewed && <span className={isReviewLate(document) ? "warn" : undefined}>{reviewed}</span>}
      </span>
      {replaced_by && <span className="caution">{m.admin.replacedBy(replaced_by.title, replaced_by.version)}</span>}
      {failed && <span className="caution grave">{m.admin.failed(m.admin.reasons[reason] ?? reason)}</span>}
      <Notes {...document} failed={failed} />
    </>
  );
}
