"""Progress of the ingestion that runs, in one row, for who asks in another process. It is believed
only while somebody holds the lock: a run that was killed leaves its row."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass

from rag_api.db import Database
from rag_api.db.access import READS, values
from rag_api.domain import Progress, User
from rag_api.errors import BedsideError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunningIngestion:
    """progress: what its reader may know of it; None: not known yet. own: this user began it."""

    progress: Progress | None
    own: bool = False


def forget(db: Database) -> None:
    """Forget where the run before was."""
    _told(db, "delete from ingestion_progress", {})


def put(db: Database, user: User, at: Progress) -> None:
    """Write it down. Nobody waits for a database that is away: what is told is old by then."""
    _told(
        db,
        """insert into ingestion_progress (user_id, source, step, page, of_pages, done, total, pages, chunks, seconds)
        values (%(user)s, %(source)s, %(step)s, %(page)s, %(of)s, %(done)s, %(total)s, %(pages)s, %(chunks)s, %(seconds)s)
        on conflict (one) do update set user_id = excluded.user_id, source = excluded.source, step = excluded.step, page = excluded.page,
          of_pages = excluded.of_pages, done = excluded.done, total = excluded.total, pages = excluded.pages, chunks = excluded.chunks,
          seconds = excluded.seconds""",
        {**asdict(at), "user": user.id},
    )


def read(db: Database, user: User) -> RunningIngestion:
    """Return where the run is. What it is at is named to who began it, and to who may read a
    document of that name."""
    row = db.one(
        f"""select p.*, p.user_id = %(user)s as own,
          exists (select from documents where source = p.source and status in ('indexed', 'failed') and {READS}) as readable
        from ingestion_progress p""",  # noqa: S608
        {**values(user), "user": user.id},
    )
    if row is None:
        return RunningIngestion(None)
    source = row["source"] if row["own"] or row["readable"] else ""
    counts = (row["done"], row["total"], row["pages"], row["chunks"], row["seconds"])
    return RunningIngestion(Progress(*counts, source, row["step"], row["page"], row["of_pages"]), row["own"])


def _told(db: Database, statement: str, given: dict[str, object]) -> None:
    try:
        db.run(statement, given)
    except BedsideError as error:
        log.info("where the ingestion is could not be written down: %s", error.message)
