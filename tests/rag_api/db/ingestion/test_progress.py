"""Progress of an ingestion: in one row, of which its reader sees what they may."""

from __future__ import annotations

import pytest

from rag_api.db import Database
from rag_api.db.documents import PgDocuments
from rag_api.db.ingestion import progress
from rag_api.domain import LOCAL_USER, Progress, Role, User

AT = Progress(1, 3, 12, 40, 2.5, "secret.pdf", "reading", 4, 9)
OTHER = User("other", "Other", ("surgery",), roles=frozenset({Role.ADMIN}))


def test_who_began_it_reads_what_it_is_at_and_another_admin_its_counts_alone(db: Database) -> None:
    progress.put(db, LOCAL_USER, AT)
    assert progress.read(db, LOCAL_USER) == progress.RunningIngestion(AT, own=True)
    seen = progress.read(db, OTHER)
    assert seen.progress is not None
    assert (seen.own, seen.progress.source, seen.progress.done, seen.progress.page) == (False, "", 1, 4)


def test_a_new_run_begins_without_what_the_one_before_left(db: Database) -> None:
    progress.put(db, LOCAL_USER, AT)
    with PgDocuments(db).lock():
        assert progress.read(db, LOCAL_USER) == progress.RunningIngestion(None)


def test_no_run_ends_because_it_cannot_be_written_down(dsn: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    away = Database(dsn)
    away.close()
    progress.put(away, LOCAL_USER, AT)
    assert "could not be written down" in caplog.text
