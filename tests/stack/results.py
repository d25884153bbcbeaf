"""Results of breaking it, as files: kept after each cell, and as the tables of
docs/reliability.md."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.faults.matrix import Cell
from tests.faults.table import ANSWERING, INGESTION, rows
from tests.stack.bases import ROOT

FOLDER = ROOT / "evaluation" / "results" / "service"
WHOLE = {"documents": "documents", "indexed": "indexed", "answers": "answers", "users": "users", "seconds": "seconds"}
FILES = {
    "answering": ("container_faults.csv", ANSWERING),
    "ingestion": ("container_ingestion.csv", INGESTION | {"seconds": "seconds"}),
    "all": ("container_whole.csv", WHOLE),
}


def keep_cells(path: Path | None, cells: Sequence[Cell]) -> None:
    if path is not None:
        path.write_text(json.dumps([asdict(cell) for cell in cells], indent=1) + "\n", encoding="utf-8")


def read_cells(path: Path) -> list[Cell]:
    return [Cell(**{**row, "wrong": tuple(row["wrong"])}) for row in json.loads(path.read_text("utf-8"))]


def write(cells: Sequence[Cell], folder: Path = FOLDER) -> None:
    """A file for each kind of work that was tried; of a cell that was tried more than once the
    last."""
    for work, (name, columns) in FILES.items():
        last = {(cell.service, cell.fault): cell for cell in cells if cell.work == work}
        if not last:
            continue
        found = rows([*last.values()], columns)
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*found[0]], lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
