"""The documents list and the pages, in Postgres. `PgDocuments` is ingestion's view; the functions
are the readers'."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, Literal

import psycopg
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from rag_api.db import Connection, Database, translated
from rag_api.db.access import READS, found, values
from rag_api.db.ingestion import folders, progress, titles, unfinished
from rag_api.db.ingestion.structures import put_structures
from rag_api.db.owners.named import tell_askers
from rag_api.db.people import permissions
from rag_api.db.webhooks import Changed, tell_webhooks
from rag_api.domain import (
    EVERYONE,
    LOCAL_USER,
    CutLine,
    Document,
    DocumentStatus,
    Edit,
    Indexed,
    Metadata,
    Note,
    Page,
    Progress,
    TargetGroup,
    Titles,
    User,
    Validity,
    noted,
)
from rag_api.errors import Conflict
from rag_api.guard.people.twin_documents import are_twins, subject
from rag_api.text.char_boxes import pack_boxes, unpack_boxes

STOP = "bedside_ingest_stop"  # the channel on which whoever ingests is asked to end
INGEST_LOCK = 0x6265_6473_6964_66  # one ingestion at a time over all processes

CURRENT = "status in ('indexed', 'failed')"
METADATA = (
    "title", "department", "document_type", "target_groups", "version", "valid_from", "valid_until", "owner", "language", "supersedes",
)  # fmt: skip
COLUMNS = (
    "id", "source", "sha256", "media_type", "status", "reason", *METADATA,
    "page_count", "chunk_count", "byte_count", "fingerprint", "warnings", "notes", "groups",
)  # fmt: skip

WRITTEN = (*COLUMNS, "subject", "indexed_groups")
UPSERT = f"""
    insert into documents ({", ".join(WRITTEN)}, user_id)
    values ({", ".join(f"%({name})s" for name in WRITTEN)}, %(user_id)s)
    on conflict (id) do update set {", ".join(f"{name} = excluded.{name}" for name in WRITTEN if name != "id")}, updated_at = now(),
      withdrawn_by = '', withdrawn_at = null, withdrawn_reason = ''
"""  # noqa: S608 - column names only
INSERT_PAGES = """
    copy pages (document_id, number, width, height, rotation, text_start, text, boxes, text_from) from stdin
"""
REVIEW = "next_review"  # of metadata_changes: somebody read it and found that it holds, until then
PLAN = "planned_review"  # the day alone: nobody says that it holds; none: it is planned no more
REVIEWER = "reviewer"  # whose it is to review, an account's id; empty: nobody's by name
REVIEW_REASON = "review_reason"  # why it is to be reviewed, in the words of who planned it; empty: not said
_CHANGES = "from metadata_changes c where c.source = documents.source and c.document_id = documents.id "
_LAST_REVIEW = f"{_CHANGES} and c.field = '{REVIEW}' order by c.id desc limit 1"
NEXT_REVIEW = (
    f"(select nullif(c.after, '')::date {_CHANGES} and c.field in ('{REVIEW}', '{PLAN}') order by c.id desc limit 1)"
)
TO_REVIEW_BY = f"(select c.after {_CHANGES} and c.field = '{REVIEWER}' order by c.id desc limit 1)"
# With the name of who took it out, where that is an account's; and with its last review.
LISTED = f"""
    *, coalesce((select u.name from users u where u.id = documents.withdrawn_by), documents.withdrawn_by) as withdrawn_name,
    {NEXT_REVIEW} as next_review, (select c.changed_at {_LAST_REVIEW}) as reviewed_at,
    (select coalesce((select u.name from users u where u.id = c.user_id), c.user_id) {_LAST_REVIEW}) as reviewed_by,
    (select coalesce(nullif(u.name, ''), u.id) from users u where u.id = {TO_REVIEW_BY}) as to_review_by,
    (select c.after {_CHANGES} and c.field = '{REVIEW_REASON}' order by c.id desc limit 1) as review_reason
"""  # noqa: S608 - no words of anybody
AMEND = """
    update documents set title = %(title)s, target_groups = %(target_groups)s, subject = %(subject)s, warnings = %(warnings)s,
      fingerprint = %(fingerprint)s, updated_at = now() where id = %(id)s
"""
INSERT_UNCERTAIN = "copy uncertain_places (document_id, text_start, text_end) from stdin"
INSERT_CUT = "copy cut_lines (document_id, position, page, text, reason) from stdin"


def ask_to_stop(db: Database) -> None:
    """Whoever ingests just now, in whatever process, ends after what it is at."""
    db.run("select pg_notify(%(channel)s, '')", {"channel": STOP})


class PgDocuments:
    """A `rag_api.ingest.DocumentsRepo`. `user` is who ingests and becomes the owner of new rows;
    `patience` is how many seconds to wait for another ingestion before Conflict, None: until it is
    done; `open_to` is who may read what nothing is said of; `others` are those who could give back
    what the user gives away, None: it is not asked."""

    def __init__(
        self,
        db: Database,
        user: User = LOCAL_USER,
        *,
        patience: float | None = None,
        open_to: Sequence[str] = EVERYONE,
        others: Sequence[User] | None = None,
    ) -> None:
        self._asked, self.db = db, db.with_timeout()
        self.user = user
        self.patience = patience
        self.open_to = open_to
        self.others = others
        self._holding: psycopg.Connection[Any] | None = None  # the connection with the lock

    @contextmanager
    def lock(self) -> Iterator[None]:
        """A connection of its own: the lock lives and dies with it, also when this process is
        killed."""
        with translated():
            connection = psycopg.connect(self.db.dsn, autocommit=True, application_name="bedside ingest")
        try:
            with translated():
                connection.execute(
                    "select set_config('lock_timeout', %s, false)", [f"{int((self.patience or 0) * 1000)}ms"]
                )
                connection.execute("select pg_advisory_lock(%s)", [INGEST_LOCK])
                connection.execute(f"listen {STOP}")
            self._holding = connection
            progress.forget(self._asked)
            yield
        finally:
            self._holding = None
            connection.close()

    def asked_to_stop(self) -> bool:
        """Since the lock was taken. A database that is away asks nobody."""
        try:
            return self._holding is not None and any(True for _ in self._holding.notifies(timeout=0))
        except psycopg.OperationalError:
            return False

    def put_progress(self, at: Progress) -> None:
        progress.put(self._asked, self.user, at)

    def current(self) -> dict[str, Document]:
        rows = self.db.all(f"select * from documents where {CURRENT}")  # noqa: S608
        return {row["source"]: to_document(row) for row in rows}

    def save_indexed(self, documents: Sequence[Indexed]) -> None:
        with self.db.connection() as connection:
            self._put(connection, [one.document for one in documents])
            _copy(
                connection, INSERT_PAGES, (_page_row(one.document.id, page) for one in documents for page in one.pages)
            )
            _copy(connection, INSERT_CUT, (row for one in documents for row in _cut_rows(one)))
            _copy(
                connection,
                INSERT_UNCERTAIN,
                ((one.document.id, *place) for one in documents for place in one.uncertain),
            )
            put_structures(connection, {one.document.id: one.blocks for one in documents})
            titles.put_titles(
                connection, {one.document.id: (one.document.metadata.title, one.titles) for one in documents}
            )

    def save_failed(self, document: Document) -> None:
        with self.db.connection() as connection:
            self._put(connection, [document])
            titles.put_titles(connection, {document.id: ("", Titles())})

    def amend(self, document: Document, own: Titles | None = None) -> None:
        with self.db.connection() as connection:
            connection.execute(AMEND, _row(document))
            if own is not None:
                titles.put_titles(connection, {document.id: (document.metadata.title, own)})

    def keep(self, document_id: str, warnings: Sequence[str]) -> None:
        self.put_warnings(document_id, warnings)
        self.db.run("update documents set fingerprint = '' where id = %(id)s", {"id": document_id})

    def bearers(self, keys: Sequence[str]) -> dict[str, dict[str, tuple[str, ...]]]:
        return titles.read_bearers(self.db, keys)

    def shared_titles(self, least: int) -> list[str]:
        return titles.read_shared(self.db, least)

    def begin_reading(self, document_id: str) -> int:
        return unfinished.begin(self.db, document_id)

    def end_reading(self, document_ids: Sequence[str]) -> None:
        unfinished.end(self.db, document_ids)

    def openings(self, document_ids: Sequence[str]) -> dict[str, str]:
        return titles.read_openings(self.db, document_ids)

    def called(self, keys: Sequence[str]) -> list[tuple[Document, Titles]]:
        return [(to_document(row), own) for row, own in titles.read_called(self.db, keys)]

    def retire(self, sources: Sequence[str], reason: str = "") -> None:
        with self.db.connection() as connection:
            rows = connection.execute(
                f"""update documents d set status = 'retired', updated_at = now(), withdrawn_by = %(user)s, withdrawn_at = now(),
                  withdrawn_reason = %(reason)s
                from (select id, status from documents where {CURRENT} and source = any(%(sources)s) for update) before
                where d.id = before.id returning d.id, d.source, before.status""",  # noqa: S608
                {"sources": list(sources), "user": self.user.id, "reason": reason},
            ).fetchall()
            if reason:
                connection.cursor().executemany(
                    """insert into metadata_changes (document_id, source, field, before, after, user_id)
                    values (%s, %s, 'withdrawn', '', %s, %s)""",
                    [(row["id"], row["source"], reason, self.user.id) for row in rows],
                )
            gone = [row["id"] for row in rows if row["status"] == "indexed"]
            tell_webhooks(connection, [Changed(one, "document.withdrawn") for one in gone])
            tell_askers(connection, gone)

    def explain(self, document: Document, reason: str) -> None:
        """Say why it was taken out, in place of what was said before."""
        given = {"id": document.id, "source": document.source, "reason": reason, "user": self.user.id}
        with self.db.connection() as connection:
            before = connection.execute(
                """update documents d set withdrawn_reason = %(reason)s
                from (select id, withdrawn_reason from documents where id = %(id)s and status = 'retired' for update) before
                where d.id = before.id and before.withdrawn_reason <> %(reason)s returning before.withdrawn_reason""",
                given,
            ).fetchone()
            if before is not None:
                connection.execute(
                    """insert into metadata_changes (document_id, source, field, before, after, user_id)
                    values (%(id)s, %(source)s, 'withdrawal_reason', %(before)s, %(reason)s, %(user)s)""",
                    {**given, "before": before["withdrawn_reason"]},
                )

    def restore(self, document_id: str) -> None:
        """Undo `retire`: the document counts again as it did before. What the index lacks of it the
        next ingestion makes again. Raises Conflict where it is not taken out, or another version
        counts."""
        with self.db.connection() as connection:
            held = connection.execute(
                "select source, status from documents where id = %(id)s for update", {"id": document_id}
            ).fetchone()
            row = found(held, "document", document_id)
            source = row["source"]
            given = {"id": document_id, "source": source}
            if row["status"] != "retired":
                raise Conflict("This document is not withdrawn, so there is nothing to undo.")
            if connection.execute(f"select 1 from documents where source = %(source)s and {CURRENT}", given).fetchone():  # noqa: S608
                raise Conflict(f"Another version of {source} is in force. Withdraw that one first.")
            back = connection.execute(
                """update documents set status = case when reason = '' then 'indexed' else 'failed' end, updated_at = now(),
                  withdrawn_by = '', withdrawn_at = null, withdrawn_reason = '' where id = %(id)s returning status""",
                given,
            ).fetchone()
            if back is not None and back["status"] == "indexed":
                tell_webhooks(connection, [Changed(document_id, "document.indexed")])

    def pages(self, document_id: str) -> list[Page]:
        return read_pages(self.db, document_id)

    def edits(self) -> dict[str, dict[str, Edit]]:
        edits: dict[str, dict[str, Edit]] = {}
        for row in self.db.all("select source, field, value, said from metadata_edits"):
            edits.setdefault(row["source"], {})[row["field"]] = Edit(row["value"], row["said"])
        return edits

    def groups_of(self, source: str, department: str, said: Sequence[str] = ()) -> tuple[str, ...]:
        return permissions.groups_of(self.db, source, department, self.open_to, said)

    def put_source_groups(self, said: Mapping[str, Sequence[str]]) -> None:
        permissions.put_source_groups(self.db, self.user, said, self.open_to, self.others)

    def try_source_groups(self, said: Mapping[str, Sequence[str]]) -> None:
        permissions.put_source_groups(self.db, self.user, said, self.open_to, self.others, keep=False)

    def catch_up(self, reach_index: Callable[[str, tuple[str, ...]], None]) -> None:
        permissions.catch_up(self.db, reach_index)

    def sources(self) -> dict[str, str]:
        return folders.read_sources(self.db)

    def put_warnings(self, document_id: str, warnings: Sequence[str]) -> None:
        said = {name: _storable(value) for name, value in _noted(warnings).items()}
        self.db.run(
            "update documents set warnings = %(warnings)s, notes = %(notes)s where id = %(id)s",
            {**said, "id": document_id},
        )

    def folders(self) -> dict[str, str]:
        return folders.read_folders(self.db)

    def items(self) -> dict[str, str]:
        return folders.read_items(self.db)

    def put_folders(self, placed: Mapping[str, str], items: Mapping[str, str] = MappingProxyType({})) -> None:
        folders.put_folders(self.db, placed, items)

    def rename(self, old: str, new: str, titles: tuple[str, str], taken: bool = False) -> None:
        folders.rename(self.db, old, new, titles, taken)

    def _put(self, connection: Connection, documents: Sequence[Document]) -> None:
        """The rows, with no pages yet; whatever was current for these sources before is so no
        more."""
        said = {"ids": [document.id for document in documents], "sources": [document.source for document in documents]}
        indexed = {
            row["source"]: row["id"]
            for row in connection.execute(
                "select source, id from documents where status = 'indexed' and source = any(%(sources)s)", said
            )
        }
        connection.execute(
            f"""update documents set status = 'replaced', updated_at = now()
            where {CURRENT} and source = any(%(sources)s) and id <> all(%(ids)s)""",  # noqa: S608
            said,
        )
        with connection.cursor() as cursor:
            cursor.executemany(UPSERT, [{**_row(document), "user_id": self.user.id} for document in documents])
        permissions.apply_rules(connection, self.open_to, said["ids"])  # which may have changed while they were read
        for table in ("pages", "cut_lines", "structures", "uncertain_places"):
            connection.execute(f"delete from {table} where document_id = any(%(ids)s)", said)  # noqa: S608
        news = [one for one in documents if one.status == DocumentStatus.INDEXED and indexed.get(one.source) != one.id]
        tell_webhooks(
            connection,
            [Changed(one.id, "document.new_version" if one.source in indexed else "document.indexed") for one in news],
        )
        tell_askers(connection, [one.id for one in news if one.source in indexed])


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """What part of the list to show. `status` None: the current ones (indexed and failed)."""

    text: str = ""  # in title or source, or on the first page, as its number is; any case
    status: DocumentStatus | None = None
    limit: int = 50
    offset: int = 0
    department: str = ""
    document_type: str = ""
    validity: Validity | None = None
    today: date = field(default_factory=date.today)
    owner: str = ""
    unowned: bool = False  # only those that name no owner
    uncertain: bool = False  # only those of which a part was read in doubt
    # ids: what is listed of their files now, for a file's new version has an id of its own
    versions_of: Sequence[str] = ()
    order: Order = "title"
    replaced: bool | None = None  # only those that another document names as superseded, or none of these


NAMED = "title ilike %(like)s or source ilike %(like)s"
_FIRST_PAGE = "exists (select 1 from pages p where p.document_id = documents.id and p.number = 1 and p.text "
ON_FIRST_PAGE = f"{_FIRST_PAGE} ilike %(like)s)"
# Where the text stands, the best place first: at the beginning of a word, and then within one.
NEAREST = f"""case when title ~* %(begins)s then 0 when source ~* %(begins)s then 1
      when title ilike %(like)s then 2 when source ilike %(like)s then 3
      when {_FIRST_PAGE} ~* %(begins)s) then 4 else 5 end"""
Order = Literal["title", "valid_until", "next_review"]
SOON = "1 month"  # of the calendar, before the last day
WITHIN: dict[Validity, str] = {
    "expires_soon": SOON,
    "expires_later": "3 months",
    "expires_in_6_months": "6 months",
    "expires_in_12_months": "12 months",
}
VALIDITY: dict[Validity, str] = {
    "valid": "coalesce(valid_from, %(today)s) <= %(today)s and coalesce(valid_until, %(today)s) >= %(today)s",
    "expired": "valid_until < %(today)s",
    "upcoming": "valid_from > %(today)s",
    **{
        name: f"valid_until >= %(today)s and valid_until <= %(today)s::date + interval '{within}'"
        for name, within in WITHIN.items()
    },
    "undated": "valid_until is null",
    "review_due": f"{NEXT_REVIEW} <= %(today)s::date + interval '{SOON}'",
}


def list_documents(db: Database, user: User, query: DocumentQuery) -> tuple[list[Document], int]:
    """A page of the list, by where the text stands and by title (withdrawn ones: the latest first)
    or by what lapses first, and how many there are in all."""
    where = f"""{READS} and (case when %(status)s::text is null then {CURRENT} else status = %(status)s end)
        and ({NAMED} or {ON_FIRST_PAGE})"""
    for name in ("department", "document_type", "owner"):
        if getattr(query, name):
            where += f" and {name} = %({name})s"
    if query.unowned:
        where += " and btrim(owner) = ''"
    if query.validity:
        where += f" and {VALIDITY[query.validity]}"
    if query.uncertain:
        where += " and exists (select 1 from uncertain_places u where u.document_id = documents.id)"
    if query.versions_of:
        where += f" and source in (select source from documents where id = any(%(versions_of)s) and {READS})"  # noqa: S608
    if query.replaced is not None:
        where += f" and {'' if query.replaced else 'not '}id = any(%(superseded)s)"
    superseded = [] if query.replaced is None else list(superseded_ids(db, user, query.today))
    said = {**asdict(query), "versions_of": list(query.versions_of), "superseded": superseded}
    params = values(user, **said, like=contains(query.text), begins=begins(query.text))
    first = {
        "title": "",
        "valid_until": "valid_until nulls last, ",
        "next_review": f"{NEXT_REVIEW} nulls last, ",
    }[query.order]
    if query.status == DocumentStatus.RETIRED:
        first += "withdrawn_at desc nulls last, "
    # Of what is searched for, one that counts stands before one alike that has lapsed.
    lapsed = "coalesce(valid_until < %(today)s, false), " if query.text else ""
    order = f"{first}{NEAREST}, {lapsed}lower(title), source, id"
    rows = db.all(
        f"select {LISTED} from documents where {where} order by {order} limit %(limit)s offset %(offset)s",  # noqa: S608
        params,
    )
    total = db.one(f"select count(*) as total from documents where {where}", params)  # noqa: S608
    assert total is not None
    return [to_document(row) for row in rows], int(total["total"])


def get_document(db: Database, user: User, document_id: str) -> Document:
    """In any status: an answer may quote a document that is no longer current. Raises NotFound."""
    row = db.one(f"select {LISTED} from documents where id = %(id)s and {READS}", values(user, id=document_id))  # noqa: S608
    return to_document(found(row, "document", document_id))


def current_document(db: Database, user: User, source: str) -> Document | None:
    """The one that counts now among those of this name."""
    where = f"source = %(source)s and {CURRENT} and {READS}"
    row = db.one(f"select * from documents where {where}", values(user, source=source))  # noqa: S608
    return to_document(row) if row else None


def newer_than(db: Database, user: User, document: Document, today: date) -> Document | None:
    """What counts now in this one's place, of what the user may read: the file's newer version, or
    what says that it supersedes it."""
    return replacing(db, user, [document], today).get(document.id)


def replacing(db: Database, user: User, documents: Iterable[Document], today: date) -> dict[str, Document]:
    """`newer_than` of many, by the id of each that has one."""
    documents = list(documents)
    sources = {one.id: one.source for one in documents}
    where = f"source = any(%(sources)s) and {CURRENT} and {READS}"
    rows = db.all(f"select * from documents where {where}", values(user, sources=sorted(set(sources.values()))))  # noqa: S608
    current = {row["source"]: to_document(row) for row in rows}
    superseded = superseding(db, user, today)
    if any(one.status == DocumentStatus.RETIRED for one in documents):
        superseded |= superseding(db, user, today, "retired")
    by = {old: new for old, new in superseded.items() if old in sources}
    named = get_documents(db, user, sorted(set(by.values())))
    found = {old: named[new] for old, new in by.items() if new in named}
    same_file = {id_: current[source] for id_, source in sources.items() if source in current}
    return found | {id_: one for id_, one in same_file.items() if one.id != id_}


def forget_failure(db: Database, document_id: str) -> None:
    """The next ingestion that comes by its file tries to read it again."""
    db.run("update documents set fingerprint = '' where id = %(id)s and status = 'failed'", {"id": document_id})


def taken(db: Database, source: str) -> bool:
    """Whether there is a current document of this name, whoever may read it."""
    row = db.one(f"select 1 as n from documents where source = %(source)s and {CURRENT}", {"source": source})  # noqa: S608
    return row is not None


def get_documents(db: Database, user: User, document_ids: Sequence[str]) -> dict[str, Document]:
    """Those of these that exist and that the user may read, by id."""
    rows = db.all(
        f"select * from documents where id = any(%(ids)s) and {READS}",  # noqa: S608
        values(user, ids=list(document_ids)),
    )
    return {row["id"]: to_document(row) for row in rows}


def failed_documents(db: Database, user: User) -> list[Document]:
    """The current ones that could not be read."""
    rows = db.all(f"select * from documents where status = 'failed' and {READS} order by source", values(user))  # noqa: S608
    return [to_document(row) for row in rows]


# Pairs of a document and the one that supersedes it, from the day on which that one is valid; what
# was superseded stays so. A document names the older one by its file, with or without folder and
# ending, or by its title.
def _superseded(status: str) -> str:
    older = f"old.status = '{status}' and old.id <> newer.id and old.{READS}"
    return f"""
    with newer as (
      select id, lower(supersedes) as name, valid_from from documents
      where status = 'indexed' and supersedes <> '' and (valid_from is null or valid_from <= %(today)s) and {READS})
    select old.id, newer.id as by_id from newer join documents old on {older} and lower(old.source) = newer.name
    union select old.id, newer.id from newer join documents old on {older}
      and lower(substring(old.source from '[^/]*$')) = newer.name
    union select old.id, newer.id from newer join documents old on {older}
      and lower(substring(old.source from '([^/]*)[.][^./]*$')) = newer.name
    union select old.id, newer.id from newer join former_names f
      on newer.name in (lower(f.former), lower(substring(f.former from '[^/]*$')), lower(substring(f.former from '([^/]*)[.][^./]*$')))
      join documents old on {older} and old.source = f.source
    union select old.id, newer.id from newer join documents old on {older}
      and lower(old.title) = newer.name and (old.valid_from is null or newer.valid_from > old.valid_from)"""  # noqa: S608


_SUPERSEDED = {status: _superseded(status) for status in ("indexed", "retired")}


def superseded_ids(db: Database, user: User, today: date) -> tuple[str, ...]:
    """Indexed documents that another one, valid from today or earlier, names as superseded."""
    return tuple(superseding(db, user, today))


def superseding(
    db: Database, user: User, today: date, status: Literal["indexed", "retired"] = "indexed"
) -> dict[str, str]:
    """Superseded document of this status -> the one that supersedes it."""
    return {row["id"]: row["by_id"] for row in db.all(_SUPERSEDED[status], values(user, today=today))}


def of_same_title(db: Database, user: User, document: Document, today: date) -> Document | None:
    """What is in force under this one's title for the same patients, of what the user may read: the
    one that came into force last."""
    rows = db.all(
        f"""select * from documents where status = 'indexed' and id <> %(id)s and {READS} and title <> ''
          and lower(title) = lower(%(title)s) and target_groups @> %(patients)s and target_groups <@ %(patients)s
          and coalesce(valid_from, '-infinity') <= %(today)s and coalesce(valid_until, 'infinity') >= %(today)s
          and id <> all(%(superseded)s) order by valid_from desc nulls last, id limit 1""",  # noqa: S608
        values(
            user,
            id=document.id,
            title=document.metadata.title,
            patients=list(document.metadata.target_groups),
            today=today,
            superseded=list(superseded_ids(db, user, today)),
        ),
    )
    return to_document(rows[0]) if rows else None


def twin_documents(db: Database, user: User, documents: Sequence[Metadata]) -> list[Document]:
    """Indexed documents about the same as one of these for other patients, in the order of
    these."""
    _make_subjects(db)
    found: dict[str, Document] = {}
    for about in documents:
        rows = db.all(
            f"""select * from documents where status = 'indexed' and {READS} and subject && %(subject)s
            and (subject <@ %(subject)s or subject @> %(subject)s) order by source""",  # noqa: S608
            values(user, subject=sorted(subject(about.title))),
        )
        found |= {row["id"]: document for row in rows if are_twins(about, (document := to_document(row)).metadata)}
    return list(found.values())


def _make_subjects(db: Database) -> None:
    """Of rows that an earlier release wrote; costs a look at an empty index afterwards."""
    for row in db.all("select id, title from documents where status = 'indexed' and subject is null"):
        db.run(
            "update documents set subject = %(subject)s where id = %(id)s",
            {"id": row["id"], "subject": sorted(subject(row["title"]))},
        )


@dataclass(frozen=True, slots=True)
class Facets:
    """What the indexed documents that a user may read are filtered by; each sorted, without the
    empty value."""

    departments: tuple[str, ...]
    document_types: tuple[str, ...]
    languages: tuple[str, ...]
    owners: tuple[str, ...]


def facets(db: Database, user: User) -> Facets:
    rows = db.all(
        f"""select distinct department, document_type, language, owner from documents
        where status = 'indexed' and {READS}""",  # noqa: S608
        values(user),
    )
    columns = ("department", "document_type", "language", "owner")
    return Facets(*(tuple(sorted({row[column] for row in rows} - {""}, key=str.casefold)) for column in columns))


def count_indexed(db: Database, user: User) -> int:
    row = db.one(f"select count(*) as n from documents where status = 'indexed' and {READS}", values(user))  # noqa: S608
    assert row is not None
    return int(row["n"])


def read_pages(db: Database, document_id: str, numbers: Sequence[int] | None = None) -> list[Page]:
    """In order; all, or these. Not checked for access: for callers that hold a Document they were
    allowed to read."""
    rows = db.all(
        """select * from pages where document_id = %(id)s and (%(numbers)s::integer[] is null or number = any(%(numbers)s))
        order by number""",
        {"id": document_id, "numbers": None if numbers is None else list(numbers)},
    )
    return [_to_page(row) for row in rows]


def read_text(db: Database, document_id: str, longest: int) -> str | None:
    """The document text, or None when it has more characters than `longest`. Not checked for
    access, as read_pages."""
    row = db.one(
        """select case when sum(length(text)) <= %(longest)s then string_agg(text, '' order by number) end as text
        from pages where document_id = %(id)s""",
        {"id": document_id, "longest": longest},
    )
    return row["text"] if row else None


def read_uncertain(db: Database, document_ids: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """Places of these documents' texts that were read in doubt, in order; of documents that have
    some. Not checked for access, as read_pages."""
    places: dict[str, list[tuple[int, int]]] = {}
    for row in db.all(
        "select document_id, text_start, text_end from uncertain_places where document_id = any(%(ids)s) order by "
        "document_id, text_start",
        {"ids": list(document_ids)},
    ):
        places.setdefault(row["document_id"], []).append((row["text_start"], row["text_end"]))
    return places


def read_cut(db: Database, document_id: str) -> list[CutLine]:
    """What cleaning left out, in the order of the pages. Not checked for access, as read_pages."""
    return [
        CutLine(**row)
        for row in db.all(
            "select page, text, reason from cut_lines where document_id = %(id)s order by position", {"id": document_id}
        )
    ]


@dataclass(frozen=True, slots=True)
class PageSize:
    number: int
    width: float
    height: float
    rotation: int


def read_page_sizes(db: Database, document_id: str) -> list[PageSize]:
    rows = db.all(
        "select number, width, height, rotation from pages where document_id = %(id)s order by number",
        {"id": document_id},
    )
    return [PageSize(**row) for row in rows]


def to_document(row: DictRow) -> Document:
    metadata = Metadata(
        **{name: row[name] for name in METADATA if name != "target_groups"},
        target_groups=tuple(map(TargetGroup, row["target_groups"])),
    )
    return Document(
        metadata=metadata,
        status=DocumentStatus(row["status"]),
        warnings=_warnings(row["warnings"], row["notes"]),
        groups=tuple(row["groups"]),
        **{name: row[name] for name in COLUMNS if name not in (*METADATA, "status", "warnings", "notes", "groups")},
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        withdrawn_at=row.get("withdrawn_at"),
        withdrawn_by=row.get("withdrawn_name", ""),
        withdrawn_reason=row.get("withdrawn_reason", ""),
        reviewed_at=row.get("reviewed_at"),
        reviewed_by=row.get("reviewed_by") or "",
        next_review=row.get("next_review"),
        to_review_by=row.get("to_review_by") or "",
        reviewer_left=row.get("reviewer_left", False),
        review_reason=row.get("review_reason") or "",
    )


def _row(document: Document) -> dict[str, Any]:
    row = {name: getattr(document.metadata, name) for name in METADATA}
    row |= {name: getattr(document, name) for name in COLUMNS if name not in (*METADATA, "notes")}
    row["target_groups"] = [group.value for group in document.metadata.target_groups]
    row |= _noted(document.warnings)
    row["groups"] = row["indexed_groups"] = list(document.groups)
    row["subject"] = sorted(subject(document.metadata.title))
    return {name: _storable(value) for name, value in row.items()}


def _noted(warnings: Sequence[str]) -> dict[str, Any]:
    return {
        "warnings": [str(warning) for warning in warnings],
        "notes": Jsonb([_storable(noted(warning)) for warning in warnings]),
    }


def _warnings(texts: Sequence[str], notes: Sequence[dict[str, Any]]) -> tuple[Note, ...]:
    """With their codes, where they were stored with them."""
    return tuple(Note(**one) for one in notes) if len(notes) == len(texts) else tuple(map(Note, texts))


def _storable(value: Any) -> Any:
    """Postgres holds no NUL and no lone surrogate; a PDF's metadata may."""
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {name: _storable(item) for name, item in value.items()}
    return value.replace("\x00", "").encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _page_row(document_id: str, page: Page) -> tuple[Any, ...]:
    boxes = pack_boxes(page.boxes)
    return (
        document_id,
        page.number,
        page.width,
        page.height,
        page.rotation,
        page.start,
        page.text,
        boxes,
        page.text_from,
    )


def _cut_rows(one: Indexed) -> Iterator[tuple[Any, ...]]:
    for position, line in enumerate(one.cut):
        yield one.document.id, position, line.page, line.text, line.reason


def _copy(connection: Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _to_page(row: DictRow) -> Page:
    boxes = unpack_boxes(row["boxes"])
    assert len(boxes) == len(row["text"]), f"page {row['number']} of {row['document_id']}: {len(boxes)} boxes"
    return Page(
        row["number"],
        row["width"],
        row["height"],
        row["rotation"],
        row["text_start"],
        row["text"],
        boxes,
        row["text_from"],
    )


def contains(text: str) -> str:
    """The pattern of `ilike` for what has these words in it."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def begins(text: str) -> str:
    """The pattern of `~*` for what has a word in it that begins like this."""
    return f"(^|[^[:alnum:]]){re.escape(text)}"
