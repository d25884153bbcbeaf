"""Questions that one person may ask are counted for all processes together, in a real
PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_api.api.limits import Buckets
from rag_api.db import Database
from rag_api.db.people.rate_limits import forget_full, take
from rag_api.errors import TooManyRequests


@pytest.fixture
def db(dsn: str) -> Iterator[Database]:
    opened = Database(dsn)
    opened.run("truncate rate_limits")
    yield opened
    opened.close()


def test_two_processes_grant_together_what_one_would(db: Database) -> None:
    one, other = (Buckets(6, "questions", shared=lambda: db) for _ in range(2))
    for buckets in (one, other, one, other, one, other):
        buckets.take("user a")
    for buckets in (one, other):
        with pytest.raises(TooManyRequests) as raised:
            buckets.take("user a")
        assert 5 < raised.value.retry_after <= 10
    other.take("user b")


def test_requests_and_questions_of_one_person_are_counted_apart(db: Database) -> None:
    Buckets(1, "questions", shared=lambda: db).take("user a")
    Buckets(1, "requests", shared=lambda: db).take("user a")


def test_a_bucket_fills_evenly(db: Database) -> None:
    for _ in range(4):
        assert take(db, b"a", 4) == 0
    assert 14 < take(db, b"a", 4) <= 15
    db.run("update rate_limits set full_at = full_at - interval '15 seconds'")
    assert take(db, b"a", 4) == 0
    assert take(db, b"a", 4) > 0


def test_a_full_bucket_is_forgotten_and_another_is_not(db: Database) -> None:
    take(db, b"full", 60)
    take(db, b"empty", 1)
    db.run("update rate_limits set full_at = full_at - interval '1 second'")
    assert forget_full(db) == 1
    assert take(db, b"empty", 1) > 0


def test_who_asked_is_not_written_down(db: Database) -> None:
    Buckets(6, "questions", shared=lambda: db).take("address 10.1.2.3")
    row = db.one("select name from rate_limits")
    assert row is not None
    assert b"10.1.2.3" not in row["name"]
    assert len(row["name"]) == 32
