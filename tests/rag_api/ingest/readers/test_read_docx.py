"""Word files read: words, tables and properties, with a rendering and without."""

from __future__ import annotations

import io
from pathlib import Path

import docx
import numpy as np
import pytest

from rag_api.answering.quoting.highlight import rects
from rag_api.domain import TargetGroup
from rag_api.errors import UnreadableDocument
from rag_api.ingest.readers.read import DOCX, media_type, read
from rag_api.ingest.sandbox.office import convert, office
from rag_api.ingest.sources.sources import KeptFiles
from tests.rag_api.answering.quoting.test_highlight import Shown, letters, sentences
from tests.rag_api.ingest.test_ingest import Place, place
from tests.rag_api.made_files.pdfs import write

__all__ = ["place"]

needs_office = pytest.mark.skipif(office() is None, reason="LibreOffice is not installed")


def procedure_docx() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Zorg voor de katheter"
    document.core_properties.author = ""
    document.sections[0].header.paragraphs[0].text = "Sint-Aurelia Ziekenhuis"
    document.sections[0].footer.paragraphs[0].text = "Versie: 3.1"
    table = document.add_table(rows=2, cols=2, style="Table Grid")
    for cell, text in zip(table._cells, ("Dienst", "Apotheek", "Doelgroep", "kinderen en neonaten"), strict=True):
        cell.text = text
    document.add_heading("1. Doel", 1)
    document.add_paragraph(
        "De verpleegkundige controleert de insteekplaats elke dag en noteert roodheid, zwelling of pijn in het dossier."
    )
    document.add_heading("2. Spoelen", 1)
    document.add_paragraph("Spoel met 10 ml", style="List Bullet")
    document.add_paragraph("Gebruik nooit\ngeweld", style="List Bullet")
    doses = document.add_table(rows=2, cols=3, style="Table Grid")
    cells = ("Gewicht", "Dosis per gift", "Maximum", "tot 10 kg", "7,5 mg/kg", "30 mg/kg per 24 uur")
    for cell, text in zip(doses._cells, cells, strict=True):
        cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_paragraphs_and_table_rows_keep_their_order_and_a_row_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path, "zorg.docx", procedure_docx())
    document = read(path, "zorg.docx", media_type(path, "zorg.docx"), 10)
    assert document.text.split("\n") == [
        "Dienst\tApotheek",
        "Doelgroep\tkinderen en neonaten",
        "",
        "1. Doel",
        "De verpleegkundige controleert de insteekplaats elke dag en noteert roodheid, zwelling of pijn in het "
        "dossier.",
        "",
        "2. Spoelen",
        "• Spoel met 10 ml",
        "• Gebruik nooit geweld",
        "Gewicht\tDosis per gift\tMaximum",
        "tot 10 kg\t7,5 mg/kg\t30 mg/kg per 24 uur",
        "",
        "",
    ]


def test_a_docx_says_what_it_is_in_properties_tables_and_footers(tmp_path: Path) -> None:
    path = write(tmp_path, "zorg.docx", procedure_docx())
    said = read(path, "zorg.docx", DOCX, 10).metadata
    assert (said.title, said.department, said.version, said.language) == (
        "Zorg voor de katheter",
        "Apotheek",
        "3.1",
        "nl",
    )
    assert said.target_groups == (TargetGroup.CHILD, TargetGroup.NEONATE)


def test_without_a_rendering_no_character_has_a_place(tmp_path: Path) -> None:
    path = write(tmp_path, "zorg.docx", procedure_docx())
    document = read(path, "zorg.docx", DOCX, 10)
    (page,) = document.pages
    assert page.text_from == "docx"
    assert np.isnan(page.boxes).all()
    assert document.warnings == (
        "its headers and footers are no part of the text; what staff must read belongs in the body: "
        "“Sint-Aurelia Ziekenhuis / Versie: 3.1”",
    )
    assert rects(document.pages, 0, 10) == ()


def test_a_merged_cell_counts_once_and_a_nested_table_reads_in_its_cell(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(rows=2, cols=2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Dosering"
    inner = table.cell(1, 0).add_table(rows=1, cols=2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "oraal", "15 mg/kg"
    table.cell(1, 1).text = "elke 6 uur"
    document.save(str(tmp_path / "tabel.docx"))
    text = read(tmp_path / "tabel.docx", "tabel.docx", DOCX, 10).text
    assert text.split("\n")[:2] == ["Dosering", "oraal 15 mg/kg\telke 6 uur"]


def test_a_docx_without_words_is_empty(tmp_path: Path) -> None:
    docx.Document().save(str(tmp_path / "leeg.docx"))
    with pytest.raises(UnreadableDocument, match=r"leeg\.docx: has no words") as error:
        read(tmp_path / "leeg.docx", "leeg.docx", DOCX, 10)
    assert error.value.reason == "empty"


@needs_office
def test_a_rendered_docx_is_highlighted_like_a_pdf(tmp_path: Path) -> None:
    path, shown = write(tmp_path, "zorg.docx", procedure_docx()), tmp_path / "zorg.pdf"
    assert convert(path, shown, 120) == ""
    document = read(path, "zorg.docx", DOCX, 10, shown)
    assert document.warnings == ()
    assert "tot 10 kg\t7,5 mg/kg\t30 mg/kg per 24 uur" in document.text.split("\n")
    assert {page.text_from for page in document.pages} == {"docx"}
    assert document.metadata.version == "3.1"
    pdf = Shown(shown)
    spans = sentences(document.pages)
    assert len(spans) >= 6
    for start, end in spans:
        assert letters(pdf.text_under(rects(document.pages, start, end))) == letters(document.text[start:end])


@needs_office
def test_an_ingested_docx_keeps_the_pdf_that_shows_it(place: Place) -> None:
    place.write("zorg.docx", procedure_docx())
    assert place.ingest().indexed == 1
    document = place.document("zorg.docx")
    shown = KeptFiles(place.settings.data_dir).shown(document)
    assert shown is not None
    assert shown.read_bytes().startswith(b"%PDF-")
    assert document.media_type == DOCX
    assert place.ingest().unchanged == 1


def test_an_office_that_takes_too_long_or_is_missing_costs_only_the_rendering(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "zorg.docx", procedure_docx())
    slow = write(tmp_path, "bin/soffice", b"#!/bin/sh\nwhile :; do :; done\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:/usr/bin:/bin")
    said = (
        "LibreOffice took longer than 1 seconds of the processor's time; raise BEDSIDE_READ_TIMEOUT, or save it as "
        "PDF anew"
    )
    monkeypatch.setattr("rag_api.ingest.sandbox.office.WAITING", 600)  # whatever else this machine does
    assert convert(path, tmp_path / "zorg.pdf", 1) == said
    slow.write_text("#!/bin/sh\nsleep 600\n")
    monkeypatch.setattr("rag_api.ingest.sandbox.office.WAITING", 2)
    said = "LibreOffice took longer than 2 seconds, most of them waiting; load it again when the machine is less busy"
    assert convert(path, tmp_path / "zorg.pdf", 1) == said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bin", "zorg.docx"]
    monkeypatch.setenv("PATH", "")
    assert office() is None
    assert convert(path, tmp_path / "zorg.pdf", 0.5) == "LibreOffice is not installed"
