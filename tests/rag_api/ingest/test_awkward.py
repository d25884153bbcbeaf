"""Of documents of awkward layout every sentence, row and item is stored once and in order, or named
among the lines that were cut."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rag_api.domain import ReadDocument, code_of
from rag_api.ingest.common.job import Job
from rag_api.ingest.readers.read import read
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from rag_api.ingest.sandbox.rendering import read_rendered
from tests.rag_api.awkward.judge import judge
from tests.rag_api.awkward.made import Made
from tests.rag_api.awkward.margins.beside_text import every_line_numbered, line_numbers, weights
from tests.rag_api.awkward.margins.dose_header import dose_header
from tests.rag_api.awkward.margins.footnotes import footnotes
from tests.rag_api.awkward.margins.leaflet import leaflet
from tests.rag_api.awkward.margins.margins import definitions, margin_label, thousands
from tests.rag_api.awkward.margins.page_numbers import page_numbers
from tests.rag_api.awkward.margins.raised import powers
from tests.rag_api.awkward.margins.sidebar import sidebar
from tests.rag_api.awkward.margins.signs import signs
from tests.rag_api.awkward.margins.version_lines import version_lines
from tests.rag_api.awkward.running_text.addresses import addresses
from tests.rag_api.awkward.running_text.boxes import boxes
from tests.rag_api.awkward.running_text.checklist import checklist
from tests.rag_api.awkward.running_text.columns import three_columns, two_columns
from tests.rag_api.awkward.running_text.hung_marks import hung_marks
from tests.rag_api.awkward.running_text.hyphens import hyphens
from tests.rag_api.awkward.running_text.late_marks import late_marks
from tests.rag_api.awkward.running_text.letter import letter
from tests.rag_api.awkward.running_text.line_starts import line_starts
from tests.rag_api.awkward.running_text.nested_list import nested_list
from tests.rag_api.awkward.shown.form import form
from tests.rag_api.awkward.tables.long_table import long_table
from tests.rag_api.awkward.tables.merged_table import merged_table
from tests.rag_api.awkward.tables.roster import roster
from tests.rag_api.awkward.tables.rotated_table import rotated_table, turned_page
from tests.rag_api.awkward.tables.twins import twins
from tests.rag_api.awkward.tables.weight_cards import weight_cards
from tests.rag_api.awkward.tables.wrapped_cells import (
    below_a_rule,
    by_cells,
    by_cells_in_the_middle,
    by_lines,
    groups,
    two_headers,
)
from tests.rag_api.awkward.word.word_boxes import word_boxes
from tests.rag_api.awkward.word.word_changes import word_changes
from tests.rag_api.awkward.word.word_columns import word_columns
from tests.rag_api.awkward.word.word_export import word_export
from tests.rag_api.awkward.word.word_form import word_form
from tests.rag_api.awkward.word.word_letter import word_letter
from tests.rag_api.awkward.word.word_lists import word_lists
from tests.rag_api.awkward.word.word_notes import word_notes
from tests.rag_api.awkward.word.word_table import word_table

_PAGES: tuple[Callable[[], Made], ...] = (
    *(
        addresses,
        boxes,
        dose_header,
        footnotes,
        form,
        hyphens,
        leaflet,
        letter,
        line_starts,
        long_table,
        merged_table,
        nested_list,
    ),
    *(
        definitions,
        every_line_numbered,
        hung_marks,
        line_numbers,
        powers,
        weights,
        late_marks,
        margin_label,
        thousands,
        roster,
        rotated_table,
        sidebar,
        signs,
        three_columns,
        turned_page,
        twins,
        two_columns,
        version_lines,
        weight_cards,
    ),
    *(checklist, below_a_rule, by_cells, by_cells_in_the_middle, by_lines, groups, two_headers),
)
_WORD_FILES: tuple[Callable[[], Made], ...] = (
    *(word_boxes, word_changes, word_columns, word_export, word_form, word_letter, word_lists, word_notes, word_table),
)
_PDF = "application/pdf"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize("make", _PAGES, ids=lambda make: make.__name__)
def test_nothing_of_a_pdf_is_lost_doubled_moved_or_glued(make: Callable[[], Made], tmp_path: Path) -> None:
    assert _faults(make(), _PDF, tmp_path) == ()


@pytest.mark.parametrize("made", page_numbers(), ids=lambda made: made.name)
def test_page_numbers_of_every_style_are_cut_and_items_beside_them_stay(made: Made, tmp_path: Path) -> None:
    assert _faults(made, _PDF, tmp_path) == ()


@pytest.mark.parametrize("make", _WORD_FILES, ids=lambda make: make.__name__)
def test_nothing_of_a_word_file_is_lost_doubled_moved_or_glued(make: Callable[[], Made], tmp_path: Path) -> None:
    assert _faults(make(), _WORD, tmp_path) == ()


def test_nothing_of_a_word_tables_rendering_is_lost_doubled_moved_or_glued(tmp_path: Path) -> None:
    made = word_table()
    path = tmp_path / made.name
    path.write_bytes(made.data)
    with ReaderProcess(300, 1024) as reader:
        document = read_rendered(reader, Job(path, made.name, _WORD, 100), tmp_path / "shown.pdf")
    assert _judged(made, document) == ()


def _faults(made: Made, kind: str, folder: Path) -> tuple[str, ...]:
    path = folder / made.name
    path.write_bytes(made.data)
    return _judged(made, read(path, made.name, kind, max_pages=100))


def _judged(made: Made, document: ReadDocument) -> tuple[str, ...]:
    assert "page_unaccounted" not in map(code_of, document.warnings)
    told = (*(line.text for line in document.cut), *document.warnings)
    return judge(made, document.text, told).faults
