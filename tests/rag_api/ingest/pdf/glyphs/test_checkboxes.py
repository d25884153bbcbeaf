"""Squares to tick are the marks of a list's items; one with something in it is not read as an empty
one."""

from pathlib import Path

import numpy as np
import pytest

from rag_api.domain import BlockKind
from rag_api.ingest.readers.read import read
from tests.rag_api.awkward.paper import HEIGHT, Paper
from tests.rag_api.awkward.running_text.checklist import ITEMS, SIDE, TITLE, X, checklist, square

pytestmark = pytest.mark.quick


def test_what_stands_behind_a_square_is_an_item_whose_label_lies_on_the_square(tmp_path: Path) -> None:
    path = tmp_path / "list.pdf"
    path.write_bytes(checklist().data)
    document = read(path, path.name, "application/pdf", max_pages=5)
    items = [block for block in document.blocks if block.kind == BlockKind.ITEM]
    assert [block.label for block in items] == ["☐"] * 2 * len(ITEMS)
    boxes = document.pages[0].boxes[[block.start for block in items]]
    assert np.abs(boxes[:, [0, 2]] - [X, X + SIDE]).max() < 1.2
    assert np.abs(boxes[:, 3] - boxes[:, 1] - SIDE).max() < 2.2


@pytest.mark.parametrize("sign", ["X", "▣"])
def test_a_square_with_something_in_it_is_not_read_as_empty(sign: str, tmp_path: Path) -> None:
    paper = Paper()
    paper.heading(TITLE)
    ticked = ITEMS[2]
    for text in (ITEMS[0], ticked, ITEMS[0].upper()):
        square(paper)
        if text == ticked and sign == "X":
            paper.line(X + 1, paper.y + 1, "X", 8)
        elif text == ticked:
            paper.canvas.line(X + 1, paper.y + 1, X + SIDE - 1, paper.y + SIDE - 1)
            paper.canvas.line(X + 1, paper.y + SIDE - 1, X + SIDE - 1, paper.y + 1)
        paper.lines([text], X + 14)
    path = tmp_path / "ticked.pdf"
    path.write_bytes(paper.bytes())
    document = read(path, path.name, "application/pdf", max_pages=5)
    assert document.text.splitlines()[1:] == [f"☐ {ITEMS[0]}", f"{sign} {ticked}", f"☐ {ITEMS[0].upper()}"]
    items = [block.label for block in document.blocks if block.kind == BlockKind.ITEM]
    assert items == ["☐", *(["▣"] if sign == "▣" else []), "☐"]


def test_one_square_before_words_is_a_drawing(tmp_path: Path) -> None:
    paper = Paper()
    paper.y = HEIGHT - 200
    square(paper)
    paper.lines([ITEMS[0]], X + 14)
    path = tmp_path / "one.pdf"
    path.write_bytes(paper.bytes())
    assert read(path, path.name, "application/pdf", max_pages=5).text.strip() == ITEMS[0]
