"""Places that a set's questions need stand in the documents as they are read: a word lost in
reading them shows here."""

from __future__ import annotations

import contextlib
import csv
from functools import cache
from pathlib import Path

import pytest

from evaluation.quality.whole import outcome, read_whole
from evaluation.sets import second
from evaluation.sets.measure import count, unanswered
from rag_api import handbook
from rag_api.errors import UnreadableDocument
from rag_api.ingest.readers.read import read
from services.reader.gate import judged

SECOND, HANDBOOK = Path(second.__file__).parent, Path(handbook.__file__).parent


@cache
def read_once(path: Path) -> str:
    return "\n".join(page.text for page in read(path, path.name, "application/pdf", 100).pages)


@pytest.mark.parametrize(
    ("folder", "name"),
    [(SECOND, "whole.csv"), (HANDBOOK, "questions/whole-sixth.csv")],
    ids=["second hospital", "handbook, sixth set"],
)
def test_all_that_is_needed_stands_in_the_documents_as_they_are_read(folder: Path, name: str) -> None:
    questions = read_whole(folder / name)
    wanted = {question.document for question in questions}
    names = [path.name for path in sorted((folder / "pdf").glob("*.pdf")) if folder == SECOND or path.name in wanted]
    text = "\n".join(read_once(folder / "pdf" / name) for name in names)
    lost = {q.id: lacks for q in questions if (lacks := outcome(q, True, text).lacks)}
    assert len(questions) >= 80
    assert not lost


def test_the_second_hospital_has_near_misses_and_questions_off_topic() -> None:
    kinds = [row["note"] for row in unanswered(SECOND)]
    assert (kinds.count("near-miss"), kinds.count("off-topic")) == (40, 10)
    assert count(SECOND) == 130


def test_the_ward_questions_need_words_that_stand_in_the_handbook_as_it_is_read() -> None:
    """The count alone: who writes code does not read them, here neither."""
    with (SECOND.parent / "ward/asked.csv").open(encoding="utf-8", newline="") as rows:
        asked = list(csv.DictReader(rows))
    texts = {}
    for name in {row["document"] for row in asked}:
        with contextlib.suppress(UnreadableDocument):  # one is a scan
            texts[name] = read_once(HANDBOOK / "pdf" / name)
    found = [judged(row, True, texts[row["document"]], [row["document"]]) for row in asked if row["document"] in texts]
    assert len(texts) >= 25
    assert found == ["right"] * 39
