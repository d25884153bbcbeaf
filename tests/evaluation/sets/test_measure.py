"""A set's documents become an index of their own, and its rows are counted by half."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.sets import public, second
from evaluation.sets.measure import count, measure, unanswered
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import AnswerStatus
from rag_api.errors import InvalidInput

PDF = Path(second.__file__).parent / "pdf" / "HYG-017_scabies.pdf"
WHOLE = ({"id": "1", "kind": "row", "needs": "twee weken"}, {"id": "2", "kind": "row", "needs": "een week"})


def written(path: Path, rows: Sequence[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_a_set_is_counted_by_half_on_its_own_documents(tmp_path: Path) -> None:
    rows = [row | {"question": f"vraag {row['id']}", "half": half} for row, half in zip(WHOLE, "AB", strict=True)]
    written(tmp_path / "whole.csv", rows)
    written(tmp_path / "unanswered.csv", [{"question": "wat nog?", "note": "near-miss", "half": "B"}])
    asked: list[tuple[str, int]] = []

    def asks(before: str, question: str, container: Container) -> Any:
        asked.append((question, len(container.db.all("select 1 from documents"))))
        found = question != "wat nog?"
        return SimpleNamespace(status=AnswerStatus.ANSWERED if found else AnswerStatus.NOT_FOUND, text="Twee weken.")

    told: list[int] = []
    settings = Settings(data_dir=tmp_path / "own", generator_model="quotes")
    found = measure(tmp_path, [PDF], settings, asks, lambda container: None, told.append)
    assert asked == [("vraag 1", 1), ("vraag 2", 1), ("wat nog?", 1)]
    assert told == [1, 2, 3]
    assert count(tmp_path) == 3
    assert found["documents"] == 1
    assert [found["halves"][half]["right"] for half in "AB"] == [1, 0]
    assert found["refused"] == {name: {"n": 1, "refused": 1} for name in ("near-miss", "near-miss, B")}
    assert not (tmp_path / "own").exists()


def test_the_public_papers_are_found_by_their_numbers_and_named_where_they_lack(tmp_path: Path) -> None:
    with public.DOCUMENTS.open(encoding="utf-8", newline="") as file:
        numbers = [row["number"] for row in csv.DictReader(file)]
    for number in numbers:
        shutil.copy(PDF, tmp_path / f"{number} a paper.pdf")
    assert public.papers(tmp_path) == [tmp_path / f"{number} a paper.pdf" for number in numbers]
    (tmp_path / f"{numbers[3]} a paper.pdf").unlink()
    with pytest.raises(InvalidInput, match=rf"lacks the papers {numbers[3]}; python evaluation/fetch"):
        public.papers(tmp_path)


def test_the_public_set_has_rows_of_both_halves_on_papers_that_are_listed() -> None:
    folder = public.DOCUMENTS.parent
    with (Path(public.__file__).parents[2] / "real_documents.csv").open(encoding="utf-8", newline="") as file:
        listed = {row["number"] for row in csv.DictReader(file)}
    with public.DOCUMENTS.open(encoding="utf-8", newline="") as file:
        halves = {row["number"]: row["half"] for row in csv.DictReader(file)}
    with (folder / "whole.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert halves.keys() <= listed
    assert {row["half"] for row in unanswered(folder)} == {"A", "B"}
    assert [row["half"] for row in rows] == [halves[row["document"]] for row in rows]
    assert all(row["needs"] for row in rows)
