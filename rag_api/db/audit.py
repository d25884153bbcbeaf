"""The audit trail's tables: adding an entry, reading entries, erasing what is personal of them.
What an entry says is not known here.

A read is not checked here either: whoever reads writes that into the trail first, which only an
auditor's route and command do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import psycopg
from psycopg.rows import DictRow, dict_row

from rag_api.db import CONNECT_SECONDS, Connection, Database, translated
from rag_api.db.documents import NAMED, contains
from rag_api.errors import DatabaseUnavailable

PAGE = 500  # entries read at a time
COUNTED = 100_000  # entries: more are not counted, so that a page of a long trail stays quick

READ = """
    select e.sequence, e.entry::text as text, e.previous, e.hash,
      (select json_object_agg(s.part, json_build_object('salt', encode(s.salt, 'hex'), 'body', s.body::text))
       from audit_sealed s where s.sequence = e.sequence) as sealed,
      (select json_object_agg(s.part, json_build_object('name', u.name, 'login', coalesce(u.login, '')))
       from audit_sealed s join users u on u.id = coalesce(s.body ->> 'user', s.body ->> 'account')
       or u.login = lower(s.body ->> 'account') where s.sequence = e.sequence) as people
    from audit_entries e
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of the trail, as it lies there. `sealed`: by part, (salt, body) of what is not
    erased. `people`: by part, the account that it names, as it is called today."""

    sequence: int
    text: str
    previous: bytes
    hash: bytes
    sealed: dict[str, tuple[bytes, str]]
    people: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry: whoever wrote this down elsewhere finds out when the trail is cut off before
    it, or was made anew."""

    sequence: int
    hash: bytes


Use = Literal["quoted", "shown", "refused"]
_USED = {
    "quoted": "exists (select from json_array_elements(e.entry #> '{on,documents}') d"
    " join json_array_elements(e.entry #> '{on,cited}') c on c ->> 'id' = d ->> 'id' where {0})",
    "shown": "e.entry #> '{on,cited}' is not null and coalesce(e.entry #>> '{on,status}', '') <> 'not_found'"
    " and exists (select from json_array_elements(e.entry #> '{on,documents}') d where {0} and not exists"
    " (select from json_array_elements(e.entry #> '{on,cited}') c where c ->> 'id' = d ->> 'id'))",
    "refused": "e.entry #>> '{on,status}' = 'not_found'",
}
_NAMED = "(d ->> 'id' = any(%(documents)s) or d ->> 'source' = any(%(documents)s))"


@dataclass(frozen=True, slots=True)
class TrailQuery:
    """What to read. Either after a number, oldest first, or before one (None: from the last),
    newest first. Times as entries have them."""

    after: int | None = None
    before: int | None = None
    since: str = ""
    until: str = ""
    users: tuple[str, ...] = ()  # who did it: any of these accounts
    actions: tuple[str, ...] = ()  # any of these: "document.opened", or all that begin so: "document."
    result: str = ""
    documents: tuple[str, ...] = ()  # any of these, by id or file name
    use: str = ""  # what an answer made of those, or of any: a Use
    kept: int | None = None  # how many of those are kept; None: none is asked for
    request: str = ""
    limit: int = 100


class Writer:
    """This process's one connection that adds entries, one after another: it takes none of the
    pool's while others write, and waits for no silent server longer than `patience`, or
    CONNECT_SECONDS to connect. Nobody connects to one that was silent just now. Safe from several
    threads."""

    def __init__(self, db: Database, patience: float) -> None:
        self.dsn, self.silence, self.patience = db.dsn, db.silence, patience
        self._lock = threading.Lock()
        self._connection: Connection | None = None

    def append(self, text: str, sealed: Sequence[tuple[str, bytes, str]]) -> int:
        """Return the entry's number, as `append`. Raises DatabaseUnavailable, and psycopg's own
        errors where the tables are not right."""
        if not self._lock.acquire(timeout=self.patience):
            raise DatabaseUnavailable(f"The database does not answer: other entries waited for {self.patience:g} s.")
        try:
            with translated():
                return self._added(text, sealed)
        finally:
            self._lock.release()

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _added(self, text: str, sealed: Sequence[tuple[str, bytes, str]]) -> int:
        """Once more at once where the server was started again meanwhile: an entry is added once,
        however often it is sent."""
        known, began = self._connection is not None, time.monotonic()
        try:
            return append(self._open(), text, sealed)
        except (psycopg.OperationalError, psycopg.InterfaceError):
            self._drop()
            if not known or time.monotonic() - began > self.patience / 2:
                raise
        return append(self._open(), text, sealed)

    def _open(self) -> Connection:
        if self._connection is None or self._connection.closed:
            if self.silence:
                raise DatabaseUnavailable("The database does not answer: it was silent just now.")
            try:
                self._connection = Connection.connect(
                    self.dsn,
                    autocommit=True,
                    row_factory=dict_row,
                    application_name="bedside audit",
                    connect_timeout=CONNECT_SECONDS,
                )
            except psycopg.errors.ConnectionTimeout:
                self.silence.begins()
                raise
            self._connection.patience = self.patience
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def append(connection: Connection, text: str, sealed: Sequence[tuple[str, bytes, str]]) -> int:
    """Return the entry's number. Added once: an entry with the id of one that is there changes
    nothing. Until the transaction ends, nobody else adds anything."""
    row = connection.execute(
        "select audit_append(%(text)s, %(parts)s::text[], %(salts)s::bytea[], %(bodies)s::text[]) as sequence",
        {
            "text": text,
            "parts": [s[0] for s in sealed],
            "salts": [s[1] for s in sealed],
            "bodies": [s[2] for s in sealed],
        },
    ).fetchone()
    assert row is not None
    return int(row["sequence"])


def head(db: Database) -> Head | None:
    row = db.one("select sequence, hash from audit_entries order by sequence desc limit 1")
    return Head(row["sequence"], bytes(row["hash"])) if row else None


def hash_at(db: Database, sequence: int) -> bytes | None:
    row = db.one("select hash from audit_entries where sequence = %(sequence)s", {"sequence": sequence})
    return bytes(row["hash"]) if row else None


def read(db: Database, query: TrailQuery) -> list[Stored]:
    """At most `query.limit` entries."""
    wanted: dict[str, Any] = {"limit": query.limit}
    said = list(_conditions(query, wanted))
    order = "e.sequence" if query.after is not None else "e.sequence desc"
    where = f" where {' and '.join(said)}" if said else ""
    return [_stored(row) for row in db.all(f"{READ}{where} order by {order} limit %(limit)s", wanted)]


def count(db: Database, query: TrailQuery) -> tuple[int, int] | None:
    """How many entries fit in all, and how many acts these are: what was begun is none of its own
    where what came of it fits too. None: more than COUNTED."""
    wanted: dict[str, Any] = {"most": COUNTED + 1}
    said = list(_conditions(query, wanted))
    where = f" where {' and '.join(said)}" if said else ""
    row = db.one(
        f"""with fitting as (select e.entry ->> 'request' as request, e.entry ->> 'result' = 'begun' as begun
          from audit_entries e{where} limit %(most)s),
        by_request as (select count(*) as entries, count(*) filter (where not begun) as came from fitting group by request)
        select coalesce(sum(entries), 0) as entries, coalesce(sum(coalesce(nullif(came, 0), entries)), 0) as acts
        from by_request""",  # noqa: S608
        wanted,
    )
    assert row is not None
    return (int(row["entries"]), int(row["acts"])) if row["entries"] <= COUNTED else None


def _conditions(query: TrailQuery, wanted: dict[str, Any]) -> Iterator[str]:
    tests = {
        "after": "e.sequence > %(after)s",
        "before": "e.sequence < %(before)s",
        "since": "e.entry ->> 'at' collate \"C\" >= %(since)s",
        "until": "e.entry ->> 'at' collate \"C\" < %(until)s",
        "users": "e.sequence in (select sequence from audit_sealed where part = 'who' and body ->> 'user' = "
        "any(%(users)s))",
        "actions": "exists (select from unnest(%(actions)s::text[]) a where starts_with(e.entry ->> 'action', a))",
        "result": "e.entry ->> 'result' = %(result)s",
        "documents": "(e.entry #>> '{on,document}' = any(%(documents)s) or exists"
        f" (select from json_array_elements(e.entry #> '{{on,documents}}') d where {_NAMED}))",
        "use": _USED.get(query.use, "").replace("{0}", _NAMED if query.documents else "true"),
        "request": "e.entry ->> 'request' = %(request)s",
    }
    for name, test in tests.items():
        value = getattr(query, name)
        if value not in (None, "", ()):
            wanted[name] = list(value) if isinstance(value, tuple) else value
            yield test


def people_called(db: Database, words: str) -> tuple[str, ...]:
    """Return who may be meant, as accounts and entries call them: by id, by login, or by a part of
    the name. Who works at the command line has no account; the words too, for one that is gone."""
    rows = db.all(
        """with recursive of_entries as (
          select min(body ->> 'user') as id from audit_sealed where part = 'who'
          union all  -- from one to the next by the index: entries are many, people are few
          select (select min(body ->> 'user') from audit_sealed where part = 'who' and body ->> 'user' > one.id)
          from of_entries one where one.id is not null),
        known as (select id, login, name from users union
          select one.id, last.body ->> 'login', last.body ->> 'name' from of_entries one cross join lateral (
            select body from audit_sealed where part = 'who' and body ->> 'user' = one.id order by sequence desc limit 1) last)
        select distinct id from known
        where id = %(words)s or login = lower(%(words)s) or position(lower(%(words)s) in lower(name)) > 0""",
        {"words": words},
    )
    return tuple(dict.fromkeys((words, *(row["id"] for row in rows))))


def documents_called(db: Database, words: str) -> tuple[str, ...]:
    """Return the kept documents that may be meant, whoever may read them: by id, or by a part of
    title or file name; by no word of their pages, which an auditor may not read."""
    query = f"select id from documents where id = %(words)s or {NAMED}"  # noqa: S608
    rows = db.all(query, {"words": words, "like": contains(words)})
    return tuple(row["id"] for row in rows)


def last_of(db: Database, action: str) -> Stored | None:
    """Return the newest entry of an action that has come to an end."""
    rows = db.all(
        f"{READ} where e.entry ->> 'action' = %(action)s and e.entry ->> 'result' <> 'begun' order by e.sequence desc "
        f"limit 1",
        {"action": action},
    )
    return _stored(rows[0]) if rows else None


def stream(db: Database, query: TrailQuery) -> Iterator[Stored]:
    """All entries after `query.after` (and before `query.before`, where that is said), oldest
    first, some at a time."""
    at = query.after or 0
    while found := read(db, replace(query, after=at, limit=PAGE)):
        yield from found
        at = found[-1].sequence


def erasures(db: Database) -> list[tuple[int, str]]:
    """(number, text) of the entries that say what was erased."""
    rows = db.all(
        "select sequence, entry::text as text from audit_entries where entry ->> 'action' = 'audit.erased' "
        "order by sequence"
    )
    return [(row["sequence"], row["text"]) for row in rows]


def erase(connection: Connection, part: str, sequences: Sequence[int]) -> None:
    """Take the part of these entries away, its salt too; after an entry that says so, in one
    transaction."""
    connection.execute("select set_config('bedside.erasing', 'on', true)")
    connection.execute(
        "delete from audit_sealed where part = %(part)s and sequence = any(%(sequences)s)",
        {"part": part, "sequences": list(sequences)},
    )
    connection.execute("select set_config('bedside.erasing', '', true)")


def with_part(
    db: Database, part: str, *, user: str = "", account: str = "", conversation: str = "", until: str = ""
) -> list[int]:
    """Numbers of entries that still have the part: of this user, about this account, of this
    conversation, from before this time."""
    tests = {
        "user": "sequence in (select sequence from audit_sealed w where w.part = 'who' and w.body ->> 'user' = "
        "%(user)s)",
        "account": "body ->> 'account' = %(account)s",
        "conversation": "entry #>> '{on,conversation}' = %(conversation)s",
        "until": "entry ->> 'at' collate \"C\" < %(until)s",
    }
    given = {"user": user, "account": account, "conversation": conversation, "until": until}
    said = "".join(f" and {tests[name]}" for name, value in given.items() if value)
    query = (
        f"select sequence from audit_sealed s join audit_entries e using (sequence) where part = %(part)s{said} "  # noqa: S608
        f"order by sequence"
    )
    return [row["sequence"] for row in db.all(query, {"part": part, **given})]


def _stored(row: DictRow) -> Stored:
    sealed = {part: (bytes.fromhex(one["salt"]), one["body"]) for part, one in (row["sealed"] or {}).items()}
    people = row["people"] or {}
    return Stored(row["sequence"], row["text"], bytes(row["previous"]), bytes(row["hash"]), sealed, people)
