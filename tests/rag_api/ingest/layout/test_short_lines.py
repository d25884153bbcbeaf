"""Short lines below each other that begin small are lines of their own; a paragraph stays whole,
however narrow or ragged."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from rag_api.ingest.readers.read import read
from tests.rag_api.awkward.paper import Paper, wrapped

pytestmark = pytest.mark.quick

MEASURES = (
    "bedalarm of sensormat",
    "kamer dicht bij de balie",
    "apotheker kijkt de medicatie na binnen 48 uur",
    "bloeddruk staand",
)
WIDE = (
    "Herhaal de score elke 7 dagen, na een val en na een verhuis naar een andere afdeling of een ander ziekenhuis. " * 3
)
NARROW = (
    "de therapie start enkel na akkoord van de verpleegkundige van het wondzorgteam, die de pomp instelt en alles "
    "uitlegt aan de familie"
)
RAGGED = (
    "de therapie start enkel na akkoord van",
    "de verpleegkundige van het wondzorgteam,",
    "die de pomp instelt en alles",
    "uitlegt aan de familie",
)


def _lines(lines: Sequence[str], folder: Path) -> list[str]:
    """How the lines are stored that stand between two wide paragraphs."""
    paper = Paper()
    paper.paragraph(WIDE)
    paper.lines(lines)
    paper.y -= 8
    paper.paragraph(WIDE)
    path = folder / "lines.pdf"
    path.write_bytes(paper.bytes())
    stored = read(path, path.name, "application/pdf", max_pages=5).text.splitlines()
    return [line for line in stored if line and line != WIDE.strip()]


def test_measures_below_each_other_are_not_one_sentence(tmp_path: Path) -> None:
    assert _lines(MEASURES, tmp_path) == [*MEASURES]


@pytest.mark.parametrize(
    "lines", [wrapped(NARROW, 200), wrapped(NARROW, 120), RAGGED], ids=["narrow", "very narrow", "ragged"]
)
def test_a_narrow_paragraph_among_wide_ones_stays_whole(lines: Sequence[str], tmp_path: Path) -> None:
    assert _lines(lines, tmp_path) == [" ".join(lines)]
