"""Flow charts are found and shown, never quoted; tables, forms and cards are no charts."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.domain import BlockKind, ReadDocument, code_of
from rag_api.ingest.readers.read import PDF, read
from rag_api.text.quotable.quotable_spans import quotable
from rag_api.text.quotable.uncertain import is_certain, touches
from tests.rag_api.made_files.charts import AFTER, BEFORE, CHARTS, OTHERS, STEPS
from tests.rag_api.made_files.pdfs import Draw, pdf, write


def _read(tmp_path: Path, draw: Draw) -> ReadDocument:
    path = write(tmp_path, "a.pdf", pdf(draw))
    return read(path, path.name, PDF, max_pages=5)


def _is_charted(document: ReadDocument) -> bool:
    return "page_chart" in map(code_of, document.warnings)


@pytest.mark.parametrize("draw", CHARTS)
def test_words_in_boxes_that_lines_join_are_found_and_never_quoted(tmp_path: Path, draw: Draw) -> None:
    document = _read(tmp_path, draw)
    assert _is_charted(document)
    for step in STEPS[1:]:
        at = document.text.index(step)
        assert touches(at, at + len(step), document.uncertain)


@pytest.mark.parametrize("draw", CHARTS)
def test_text_above_and_below_a_chart_is_quoted_under_its_own_heading(tmp_path: Path, draw: Draw) -> None:
    document = _read(tmp_path, draw)
    quotes = [one for one in quotable(document.text, document.blocks) if is_certain(one, document.uncertain)]
    said = [document.text[one.start : one.end].strip() for one in quotes]
    assert BEFORE in said
    assert AFTER in said
    headings = [document.text[one.start : one.end] for one in document.blocks if one.kind == BlockKind.HEADING]
    assert [one.strip() for one in headings] == ["Koorts op de spoed"]


@pytest.mark.parametrize("draw", OTHERS)
def test_tables_cards_shades_and_forms_are_no_charts(tmp_path: Path, draw: Draw) -> None:
    assert not _is_charted(_read(tmp_path, draw))
