"""LibreOffice's layout is told as words, numbers of lists, rows and headings, without what is not
printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.documents.docx_layout import laid_out, lay_out, of_html, words
from rag_api.ingest.sandbox.office import office
from tests.rag_api.awkward.word.word import docx, heading, paragraph, part, row, run, table

_NUMBERED = (
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="lowerLetter"/>'
    '<w:lvlText w:val="%1)"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
)
_DELETED = '<w:del w:id="1" w:author="a"><w:r><w:delText>No longer so.</w:delText></w:r></w:del>'


def test_a_cell_over_two_rows_belongs_to_both_and_begins_in_one() -> None:
    found = of_html(
        "<table><tr><td rowspan=2>Adults<td>5 mg<td>daily<tr><td>10 mg<td>weekly</table><h2>Dose</h2><ol start=4><li>Wait"
    )
    assert [[" ".join(map(" ".join, cells)) for cells in one] for one in found.rows] == [
        ["adults 5 mg daily", "adults 5 mg daily"],
        ["adults 10 mg weekly", "10 mg weekly"],
    ]
    assert found.headings == [("dose",)]
    assert found.words[-3:] == ("dose", "4", "wait")


def test_words_are_the_same_however_they_are_laid_out() -> None:
    assert words("Para\u00adcetamol 10³, thera-\npie") == ("paracetamol", "103", "therapie")


@pytest.mark.skipif(office() is None, reason="LibreOffice is not installed")
def test_pages_are_told_with_their_lists_numbers_and_without_deleted_words(tmp_path: Path) -> None:
    numbered = paragraph("Wait five minutes first.", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    body = heading("Dose") + numbered + paragraph(run("Then stop.") + _DELETED) + table(row("Adult", "5 mg"), columns=2)
    path = tmp_path / "one.docx"
    path.write_bytes(docx(body, {"numbering.xml": ("numbering", part("numbering", _NUMBERED))}))
    lay_out([path], work := tmp_path / "work")
    found = laid_out(path, work)
    assert found is not None
    assert found.words == words("Dose Wait five minutes first. Then stop. Adult 5 mg")
    assert found.numbers == [(("c",), ("wait", "five", "minutes"))]
    assert found.headings == [("dose",)]
    assert found.rows == [((("adult",), ("5", "mg")),) * 2]
