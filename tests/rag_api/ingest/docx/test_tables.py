"""Tables of a DOCX: one of a single column is a frame around what stands in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.domain import BlockKind
from rag_api.ingest.readers.read_docx import read_docx
from rag_api.ingest.structure.tagged_lines import TaggedLine
from tests.rag_api.made_files.docx_files import docx, p, r, table, tc, tr

_HEADING = '<w:style w:type="paragraph" w:styleId="Kop1"><w:name w:val="heading 1"/></w:style>'
_DOSES = table(tr(tc("Adult"), tc("5 mg")), tr(tc("Child"), tc("2 mg")))


def told(path: Path, *blocks: str) -> list[tuple[str, str, bool]]:
    """Return the kinds of lines, their text, and whether they stand in a box."""
    lines = read_docx(docx(path / "a.docx", *blocks, parts={"styles": _HEADING}), "a.docx").lines
    return [(line.kind.value, str(line), line.box > 0) for line in lines if isinstance(line, TaggedLine)]


def test_what_a_page_s_frame_holds_reads_as_if_it_stood_outside(tmp_path: Path) -> None:
    inside = p(r("Dose"), style="Kop1") + p(r("Give it once.")) + _DOSES
    framed = told(tmp_path, table(tr(tc(inside)), tr(tc("Then wait."))))
    assert framed[:-1] == told(tmp_path, inside)
    assert framed[:-1] == [
        (BlockKind.HEADING, "Dose", False),
        (BlockKind.PARAGRAPH, "Give it once.", False),
        (BlockKind.ROW, "Adult\t5 mg", False),
        (BlockKind.ROW, "Child\t2 mg", False),
    ]
    assert framed[-1] == (BlockKind.ROW, "Then wait.", False)


def test_paragraphs_in_a_frame_without_a_table_belong_together(tmp_path: Path) -> None:
    found = told(tmp_path, table(tr(tc(p(r("Warning.")) + p(r("Never by mouth."))))))
    assert found == [(BlockKind.PARAGRAPH, "Warning.", True), (BlockKind.PARAGRAPH, "Never by mouth.", True)]


@pytest.mark.parametrize("about", ['<w:vMerge w:val="restart"/>', '<w:cellDel w:id="1"/>'])
def test_a_merged_or_deleted_cell_is_no_frame(tmp_path: Path, about: str) -> None:
    found = told(tmp_path, table(tr(tc(p(r("One.")) + p(r("Two.")), about=about))), p(r("After.")))
    kept = [] if "cellDel" in about else [(BlockKind.ROW, "One. Two.", False)]
    assert found == [*kept, (BlockKind.PARAGRAPH, "After.", False)]


def test_a_wide_cell_in_a_table_of_columns_stays_its_row(tmp_path: Path) -> None:
    wide = tr(tc(p(r("Children")) + p(r("by weight")), about='<w:gridSpan w:val="2"/>'))
    found = told(tmp_path, table(wide, tr(tc("10 kg"), tc("2 mg"))))
    assert found == [(BlockKind.ROW, "Children by weight", False), (BlockKind.ROW, "10 kg\t2 mg", False)]
