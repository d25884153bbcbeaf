"""Documents that are being read on some machine of a cluster. One whose readers are lost again and
again is told from one that was unlucky once; a row goes when its document was read."""

from __future__ import annotations

from collections.abc import Sequence

from rag_api.db import Database


def begin(db: Database, document_id: str) -> int:
    """Return how many times it has begun without an end, this time included."""
    row = db.one(
        """insert into unfinished_readings as u (document_id) values (%(id)s)
        on conflict (document_id) do update set times = u.times + 1, begun_at = now() returning times""",
        {"id": document_id},
    )
    assert row is not None
    return int(row["times"])


def end(db: Database, document_ids: Sequence[str]) -> None:
    db.run("delete from unfinished_readings where document_id = any(%(ids)s)", {"ids": list(document_ids)})
