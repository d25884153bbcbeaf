"""Items whose number or letter has no dot are items by the white behind it; lines that begin with a
number are not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from rag_api.domain import BlockKind
from rag_api.ingest.readers.read import read
from tests.rag_api.awkward.paper import Paper

pytestmark = pytest.mark.quick

STEPS = (
    ("1", "Kort onderbroken: wacht, en noteer op papier."),
    ("2", "Langer onderbroken:"),
    ("a", "open de kopie op de computer van de afdeling;"),
    ("b", "druk de medicatielijst af."),
    ("3", "Geef daarna alles in."),
)


def _items(lines: Sequence[tuple[str, str]], gap: float, folder: Path) -> list[tuple[str, int]]:
    """Label and level of the items that the lines become, each label so far before its words."""
    paper = Paper()
    paper.heading("Onderbreking van het dossier")
    for label, words in lines:
        x = 80 if label.isdigit() else 100
        paper.line(x - gap - paper.canvas.stringWidth(label, "Vera", 10), paper.y, label)
        paper.lines([words], x)
    paper.paragraph("Bel de helpdesk bij vragen over het dossier en over de computer van de afdeling. " * 3)
    path = folder / "steps.pdf"
    path.write_bytes(paper.bytes())
    found = read(path, path.name, "application/pdf", max_pages=5)
    return [(block.label, block.level) for block in found.blocks if block.kind == BlockKind.ITEM]


def test_numbers_and_letters_without_a_dot_count_items_of_two_levels(tmp_path: Path) -> None:
    assert _items(STEPS, 9, tmp_path) == [("1", 0), ("2", 0), ("a", 1), ("b", 1), ("3", 0)]


def test_sentences_that_begin_with_a_number_are_no_items(tmp_path: Path) -> None:
    doses = (("1", "tablet van 5 mg bij een kind."), ("2", "tabletten van 5 mg bij een volwassene."))
    assert _items(doses, 3.2, tmp_path) == []


def test_numbers_that_do_not_count_are_no_items(tmp_path: Path) -> None:
    assert _items((("5", "keer per dag druppelen."), ("12", "uur na de ingreep stoppen.")), 9, tmp_path) == []
