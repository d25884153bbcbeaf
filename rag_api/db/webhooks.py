"""Webhooks: where changes of documents are told to other systems, and what was told. A message is
put into the outbox in the transaction of the change. Of a document that the groups of who made a
webhook may not read, it is told nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import uuid4

from psycopg.types.json import Jsonb

from rag_api.db import Connection, Database
from rag_api.db.access import administrator, found, values
from rag_api.domain import User
from rag_api.errors import InvalidInput

MOST = 20  # webhooks
KEPT_DAYS = 30  # of what was delivered
LISTED = 50  # deliveries
# Of those that the user's groups include: what a wider one tells is not theirs to see.
_THEIRS = "w.groups <@ %(user_groups)s"

WebhookEvent = Literal["document.indexed", "document.new_version", "document.withdrawn", "document.expired", "test"]


@dataclass(frozen=True, slots=True)
class Webhook:
    """`problem`: why the last try failed; "" where the last one came through."""

    id: str
    url: str
    created_at: datetime
    waiting: int
    failed: int
    last_sent_at: datetime | None
    problem: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to one webhook. `next_at`: of the next try, where one is to come."""

    id: int
    event: WebhookEvent
    document: str  # the name it was ingested under
    created_at: datetime
    tries: int
    next_at: datetime | None
    sent_at: datetime | None
    failed_at: datetime | None
    problem: str


@dataclass(frozen=True, slots=True)
class Changed:
    """What happened to a document."""

    document_id: str
    event: WebhookEvent


def list_webhooks(db: Database, user: User) -> list[Webhook]:
    """Raises NotFound for who is no administrator."""
    administrator(user)
    rows = db.all(
        f"""select w.id, w.url, w.created_at, count(o.id) filter (where o.sent_at is null and o.failed_at is null) as waiting,
          count(o.id) filter (where o.failed_at is not null) as failed, max(o.sent_at) as last_sent_at,
          coalesce((select problem from outbox where webhook_id = w.id and tries > 0
            order by coalesce(sent_at, failed_at, next_at) desc, id desc limit 1), '') as problem
        from webhooks w left join outbox o on o.webhook_id = w.id where {_THEIRS} group by w.id order by w.created_at, w.id""",  # noqa: S608
        values(user),
    )
    return [Webhook(**row) for row in rows]


def add_webhook(db: Database, user: User, url: str, secret: str) -> str:
    """Return its id. Raises NotFound for who is no administrator, InvalidInput where there are too
    many."""
    administrator(user)
    webhook_id = str(uuid4())
    with db.connection() as connection:
        row = connection.execute("select count(*) as n from webhooks").fetchone()
        assert row is not None
        if row["n"] >= MOST:
            raise InvalidInput(f"There are {MOST} webhooks already: delete one that is not used any more.")
        connection.execute(
            """insert into webhooks (id, url, secret, groups, user_id)
            values (%(id)s, %(url)s, %(secret)s, %(user_groups)s, %(user_id)s)""",
            values(user, id=webhook_id, url=url, secret=secret),
        )
    return webhook_id


def delete_webhook(db: Database, user: User, webhook_id: str) -> None:
    """With what waits for it. Raises NotFound."""
    administrator(user)
    gone = db.run(f"delete from webhooks w where id = %(id)s and {_THEIRS}", values(user, id=webhook_id))  # noqa: S608
    found(gone or None, "webhook", webhook_id)


def deliveries_of(db: Database, user: User, webhook_id: str) -> list[Delivery]:
    """The latest first. Raises NotFound."""
    _theirs(db, user, webhook_id)
    rows = db.all(
        """select id, message->>'type' as event, coalesce(message->'data'->>'source', '') as document, created_at, tries,
          case when sent_at is null and failed_at is null then next_at end as next_at, sent_at, failed_at, problem
        from outbox where webhook_id = %(id)s order by id desc limit %(most)s""",
        {"id": webhook_id, "most": LISTED},
    )
    return [Delivery(**row) for row in rows]


def put_test(db: Database, user: User, webhook_id: str) -> None:
    """Put a message that tells of nothing into the outbox. Raises NotFound."""
    _theirs(db, user, webhook_id)
    with db.connection() as connection:
        _put(connection, [webhook_id], {"type": "test", "data": {}})


def _theirs(db: Database, user: User, webhook_id: str) -> None:
    administrator(user)
    found(
        db.one(f"select 1 as n from webhooks w where id = %(id)s and {_THEIRS}", values(user, id=webhook_id)),  # noqa: S608
        "webhook",
        webhook_id,
    )


def tell_webhooks(connection: Connection, changes: Sequence[Changed]) -> None:
    """Put what happened into the outbox, for each webhook that may hear of it; within the caller's
    transaction."""
    for change in changes:
        rows = connection.execute(
            """select w.id as webhook_id, d.* from documents d join webhooks w on w.groups && d.groups where d.id = %(id)s order by w.id""",
            {"id": change.document_id},
        ).fetchall()
        if rows:
            _put(connection, [row["webhook_id"] for row in rows], {"type": change.event, "data": _about(rows[0])})


def _about(row: dict[str, Any]) -> dict[str, Any]:
    days = {name: row[name].isoformat() if row[name] else None for name in ("valid_from", "valid_until")}
    plain = ("source", "title", "version", "department", "status")
    return {"document_id": row["id"], **{name: row[name] for name in plain}, **days}


def _put(connection: Connection, webhook_ids: Sequence[str], message: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "insert into outbox (kind, recipient, webhook_id, message) values ('webhook', '', %s, %s)",
            [(webhook_id, Jsonb(message)) for webhook_id in webhook_ids],
        )


def tell_of_expired(db: Database) -> int:
    """Tell of documents whose last day has passed since the last look, each once; and forget
    deliveries of long ago. Return how many."""
    with db.connection() as connection:
        connection.execute(
            "delete from outbox where kind = 'webhook' and sent_at < now() - %(days)s * interval '1 day'",
            {"days": KEPT_DAYS},
        )
        rows = connection.execute(
            """update documents set expiry_told = valid_until where status = 'indexed' and valid_until < current_date
              and expiry_told is distinct from valid_until returning id"""
        ).fetchall()
        tell_webhooks(connection, [Changed(row["id"], "document.expired") for row in rows])
    return len(rows)
