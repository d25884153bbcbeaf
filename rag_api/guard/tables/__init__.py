"""The CSV tables beside the guards."""

from __future__ import annotations

import csv
from importlib.resources import files


def rows_of(file: str) -> list[dict[str, str]]:
    """Return a table's rows, by its columns' names."""
    return list(csv.DictReader(files(__package__).joinpath(file).read_text(encoding="utf-8").splitlines()))
