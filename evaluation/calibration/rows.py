"""The rows that came with Bedside: what the decision was fitted to, so that a hospital's own
questions are not fitted alone. Numbers only: no question and no document is in them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.calibration.cases import QuestionKind
from evaluation.calibration.decision import DecisionRow

SHIPPED = Path(__file__).with_name("decision_rows.json.gz")


def shipped_rows(embedder: str, reader: str = "") -> list[DecisionRow]:
    """As this reader read them, or without one. Empty for an embedder or a reader that nobody
    measured: then the own questions are all there is."""
    data = json.loads(gzip.decompress(SHIPPED.read_bytes()))
    return [_row(one, data["signals"]) for one in data["rows"].get(key_of(embedder, reader), [])]


def key_of(embedder: str, reader: str = "") -> str:
    return f"{embedder} {reader}".strip()


def write_rows(rows: Mapping[str, Sequence[DecisionRow]], signals: Sequence[str], path: Path) -> None:
    """rows: by `key_of`."""
    packed = {key: _packed(own, signals) for key, own in rows.items()}
    path.write_bytes(gzip.compress(json.dumps({"signals": list(signals), "rows": packed}).encode(), 9, mtime=0))


def _packed(rows: Sequence[DecisionRow], signals: Sequence[str]) -> list[list[object]]:
    """A unit becomes a number: which questions belong together is all that is needed of it."""
    units = {unit: number for number, unit in enumerate(dict.fromkeys((row.collection, row.unit) for row in rows))}
    return [
        [
            r.collection,
            r.kind.value,
            units[r.collection, r.unit],
            int(r.open),
            int(r.right),
            *(round(r.signals[n], 4) for n in signals),
        ]
        for r in rows
    ]


def _row(packed: Sequence[Any], signals: Sequence[str]) -> DecisionRow:
    collection, kind, unit, is_open, right, *values = packed
    return DecisionRow(
        collection,
        "fit",
        QuestionKind(kind),
        str(unit),
        bool(is_open),
        bool(right),
        dict(zip(signals, values, strict=True)),
    )
