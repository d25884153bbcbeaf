"""Questions on public papers of hospitals and governments: which papers, and where they lie."""

from __future__ import annotations

import csv
from pathlib import Path

from rag_api.errors import InvalidInput

DOCUMENTS = Path(__file__).with_name("documents.csv")


def papers(folder: Path) -> list[Path]:
    """Return the set's papers as evaluation/fetch_real_documents.py named them. Raises
    InvalidInput."""
    with DOCUMENTS.open(encoding="utf-8", newline="") as file:
        numbers = [row["number"] for row in csv.DictReader(file)]
    there = {path.name.split(" ")[0]: path for path in sorted(folder.glob("*")) if path.is_file()}
    if missing := [number for number in numbers if number not in there]:
        raise InvalidInput(
            f"{folder}: lacks the papers {', '.join(missing)}; python evaluation/fetch_real_documents.py {folder} "
            "brings them"
        )
    return [there[number] for number in numbers]
