"""Counts of how much somebody has asked of late, for all processes together. Whose count it is, is
known by a hash."""

from __future__ import annotations

from rag_api.db import Database

WINDOW = 60.0  # seconds in which an empty bucket fills


def take(db: Database, name: bytes, per_minute: int) -> float:
    """Take one of `per_minute` tokens that fill evenly. Returns 0.0, or how many seconds to wait
    when there is none."""
    given = {"name": name, "step": WINDOW / per_minute, "window": WINDOW}
    taken = db.one(
        """insert into rate_limits as known (name, full_at) values (%(name)s, now() + %(step)s * interval '1 second')
        on conflict (name) do update set full_at = greatest(known.full_at, now()) + %(step)s * interval '1 second'
        where greatest(known.full_at, now()) + %(step)s * interval '1 second' <= now() + %(window)s * interval '1 second'
        returning name""",
        given,
    )
    if taken:
        return 0.0
    row = db.one(
        """select extract(epoch from full_at - now())::float8 + %(step)s - %(window)s as wait from rate_limits where name = %(name)s""",
        given,
    )
    return max(0.001, float(row["wait"])) if row else 0.001


def forget_full(db: Database) -> int:
    """Those that are full again say nothing. Returns how many there were."""
    return db.run("delete from rate_limits where full_at < now()")
