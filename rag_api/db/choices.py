"""Choices that an admin makes while the service runs, the same for all processes. Nothing chosen:
the settings hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rag_api.db import Database

RISK = "risk"  # how readily it answers: a name of retrieval/decision/calibration.py's RISKS


@dataclass(frozen=True, slots=True)
class AdminChoice:
    value: str
    chosen_by: str
    chosen_at: datetime


def chosen(db: Database, name: str) -> AdminChoice | None:
    row = db.one("select value, chosen_by, chosen_at from choices where name = %(name)s", {"name": name})
    return AdminChoice(**row) if row else None


def choose(db: Database, name: str, value: str, chosen_by: str) -> None:
    db.run(
        """insert into choices (name, value, chosen_by) values (%(name)s, %(value)s, %(by)s)
        on conflict (name) do update set value = excluded.value, chosen_by = excluded.chosen_by, chosen_at = now()""",
        {"name": name, "value": value, "by": chosen_by},
    )


def forget(db: Database, name: str) -> None:
    """From now on the setting holds again."""
    db.run("delete from choices where name = %(name)s", {"name": name})
