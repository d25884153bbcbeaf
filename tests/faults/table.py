"""Measurements as the tables of docs/reliability.md."""

from __future__ import annotations

from collections.abc import Sequence

from tests.faults.answering import BROKEN, OFFLINE
from tests.faults.matrix import Cell

INGESTION = {
    "documents": "documents",
    "at_once": "indexed at once",
    "lost": "lost",
    "doubled": "doubled",
    "broke_off": "broke off",
}
ANSWERING = {
    "asked": "asked",
    "shown": "answers or sources",
    "told": "failed, code said",
    "waited": "told to wait (429)",
    "broken": "connection lost",
    "again": "asked again by the page",
    "stored_later": "stored later",
    "said_unstored": "said unstored",
    "lost": "lost",
    "doubled": "doubled",
    "slowest_failure": "longest silence before a failure (s)",
    "slowest_sources": "longest wait for a first state (s)",
    "well_after": "whole again after (s)",
}


def rows(cells: Sequence[Cell], columns: dict[str, str]) -> list[dict[str, str]]:
    """Each cell by its column's words, as evaluation/results has them."""
    found = []
    for cell in cells:
        figures = cell.figures | _ends(cell.figures.get("outcomes", {}))
        row = {"service": cell.service, "fault": cell.fault} | {
            said: _said(figures.get(name, "")) for name, said in columns.items()
        }
        found.append(row | {"note": "; ".join(cell.wrong) or "holds"})
    return found


def table(cells: Sequence[Cell]) -> str:
    parts = []
    for work, columns in (("ingestion", INGESTION), ("answering", ANSWERING)):
        rows = [cell for cell in cells if cell.work == work]
        if rows:
            parts.append(_table(rows, columns))
    return "\n\n".join(parts)


def _table(cells: Sequence[Cell], columns: dict[str, str]) -> str:
    found = rows(cells, columns)
    head = [*found[0]][:-1]
    lines = [[*head, ""], ["---"] * (len(head) + 1), *([*row.values()] for row in found)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _ends(outcomes: dict[str, int]) -> dict[str, int]:
    """How often readers got no answer and no sources, by what they got instead."""
    waited = outcomes.get("429 too_busy", 0)
    broken = sum(count for outcome, count in outcomes.items() if outcome in (OFFLINE, BROKEN))
    told = sum(count for outcome, count in outcomes.items() if outcome.startswith(("failed", "5")))
    return {"waited": waited, "broken": broken, "told": told}


def _said(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
