"""Outbox of what waits to be sent: one row at a time, by whichever process comes first. Knows
nothing of how it is sent.

A row is sent at least once: what breaks off after it was sent, and before that is written down,
sends it again under the same id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rag_api.db import Connection, Database
from rag_api.db.owners.questions import OwnerQuestionKind
from rag_api.domain import EVERYONE, all_may_read

# seconds until the next try: after the first one that failed, doubled each time, and at most
FIRST, LONGEST = 60.0, 6 * 3600.0
PATIENCE_DAYS = 7  # after so many a row has failed


class NotSent(Exception):
    """`for_good`: it will never be taken, so it is not tried again."""

    def __init__(self, problem: str, *, for_good: bool = False) -> None:
        super().__init__(problem)
        self.problem, self.for_good = problem, for_good


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be sent now."""

    id: int
    recipient: str
    created_at: datetime
    question_id: str
    kind: OwnerQuestionKind
    is_change: bool  # who asked is told that the document changed; else its owner that somebody asked
    title: str  # of the document; "" where not all staff may read it: a mail goes further than Bedside's permissions
    language: str  # of the document; "": it is about none
    is_passed: bool = False  # quality staff passed it on to its recipient, who need not be an owner
    can_harm: bool = False  # a patient, says who asked


@dataclass(frozen=True, slots=True)
class DueMessage:
    """What is to be told a webhook now."""

    id: int
    url: str
    secret: str
    created_at: datetime
    message: dict[str, Any]  # its `type` and `data`


_NEXT_MESSAGE = """
    select o.id, o.tries, o.created_at, o.message, o.webhook_id, w.url, w.secret from outbox o join webhooks w on w.id = o.webhook_id
    where o.sent_at is null and o.failed_at is null and o.next_at <= now() order by o.next_at, o.id limit 1
    for update of o skip locked for key share of w skip locked
"""  # the webhook too: whoever deletes it waits, and does not hold what is written when the sending failed
_NEXT = """
    select o.id, o.recipient, o.created_at, o.tries, q.id as question_id, q.kind, q.can_harm,
      o.kind = 'asker_mail' as is_change, o.kind = 'mail' and q.passed_to is not null as is_passed,
      coalesce(nullif(d.title, ''), d.source, '') as title, coalesce(d.language, '') as language, coalesce(d.groups, '{}') as groups
    from outbox o join owner_questions q on q.id = o.question_id
      left join asked_documents on asked_documents.question_id = q.id left join documents d on d.id = asked_documents.id
    where o.sent_at is null and o.failed_at is null and o.next_at <= now() order by o.next_at, o.id limit 1 for update of o skip locked
"""


def send_next(db: Database, send: Callable[[Due], None]) -> bool:
    """Whether there was something to send. `send` raises NotSent."""
    with db.connection() as connection:
        connection.execute(
            """delete from outbox o using owner_questions q
            where q.id = o.question_id and o.kind = 'mail' and o.sent_at is null and o.failed_at is null and q.outcome is not null"""
        )  # it was answered before its owner heard of it
        row = connection.execute(_NEXT).fetchone()
        if row is None:
            return False
        title = row["title"] if all_may_read(EVERYONE, tuple(row["groups"])) else ""
        names = (
            "id",
            "recipient",
            "created_at",
            "question_id",
            "kind",
            "is_change",
            "language",
            "is_passed",
            "can_harm",
        )
        try:
            send(Due(**{name: row[name] for name in names}, title=title))
        except NotSent as error:
            _not_sent(connection, row["id"], row["tries"], error)
        else:
            connection.execute(
                "update outbox set sent_at = now(), tries = tries + 1, problem = '' where id = %(id)s",
                {"id": row["id"]},
            )
    return True


def send_next_message(db: Database, send: Callable[[DueMessage], None]) -> bool:
    """As `send_next`, to webhooks. One that fails has all that waits for it wait: others are not
    kept from theirs."""
    with db.connection() as connection:
        row = connection.execute(_NEXT_MESSAGE).fetchone()
        if row is None:
            return False
        try:
            send(DueMessage(**{name: row[name] for name in ("id", "url", "secret", "created_at", "message")}))
        except NotSent as error:
            _not_sent(connection, row["id"], row["tries"], error)
            connection.execute(
                """update outbox o set next_at = greatest(o.next_at, tried.next_at) from outbox tried
                where tried.id = %(id)s and o.webhook_id = tried.webhook_id and o.sent_at is null and o.failed_at is null""",
                {"id": row["id"]},
            )
        else:
            connection.execute(
                "update outbox set sent_at = now(), tries = tries + 1, problem = '' where id = %(id)s",
                {"id": row["id"]},
            )
    return True


def _not_sent(connection: Connection, row_id: int, tries: int, error: NotSent) -> None:
    connection.execute(
        """update outbox set tries = tries + 1, problem = %(problem)s, next_at = now() + %(wait)s * interval '1 second',
          failed_at = case when %(for_good)s or created_at < now() - %(days)s * interval '1 day' then now() end
        where id = %(id)s""",
        {
            "id": row_id,
            "problem": error.problem[:500],
            "wait": min(LONGEST, FIRST * 2 ** min(tries, 20)),
            "for_good": error.for_good,
            "days": PATIENCE_DAYS,
        },
    )


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many mails wait, since when, and why the last try failed; and how many have failed for
    good."""

    waiting: int
    since: datetime | None
    problem: str
    failed: int


def waiting(db: Database) -> Waiting:
    row = db.one(
        """select count(*) filter (where failed_at is null) as waiting, min(created_at) filter (where failed_at is null) as since,
          coalesce(max(problem) filter (where failed_at is null), '') as problem, count(*) filter (where failed_at is not null) as failed
        from outbox where sent_at is null and kind = 'mail'"""
    )
    assert row is not None
    return Waiting(**row)
