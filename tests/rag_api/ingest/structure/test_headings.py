"""A document bears the name that its first page shows, whatever stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.ingest.readers.read import PDF, read
from tests.rag_api.made_files.pdfs import pdf, write

_BODY = [f"Meet om {hour} uur de temperatuur en de pols, en noteer ze in het dossier." for hour in range(8, 28)]


def _title(
    folder: Path, *placed: tuple[float, float, str, str, float], name: str = "kp.pdf", body: bool = True, said: str = ""
) -> str:
    """Of a page with these (x, y, text, font, size), and a body below or on the next page."""

    def first(canvas: Canvas) -> None:
        canvas.setTitle(said)
        for x, y, text, font, size in placed:
            canvas.setFont(font, size)
            canvas.drawString(x, y, text)
        if body:
            rest(canvas)

    def rest(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for n, line in enumerate(_BODY):
            canvas.drawString(60, 600 - 14 * n, line)

    path = write(folder, name, pdf(first) if body else pdf(first, rest))
    return read(path, name, PDF, max_pages=5).metadata.title


@pytest.mark.quick
def test_a_number_beside_a_heading_is_no_part_of_the_title(tmp_path: Path) -> None:
    placed = (60, 760, "Hoofdpijn bij volwassenen", "Helvetica-Bold", 16.0), (520, 760, "1", "Helvetica-Bold", 16.0)
    assert _title(tmp_path, *placed) == "Hoofdpijn bij volwassenen"


@pytest.mark.quick
def test_a_heading_beside_a_number_goes_on_below_itself(tmp_path: Path) -> None:
    placed = (
        (60, 700, "Nr. 4", "Helvetica-Bold", 12.0),
        (200, 700, "Advies over het gebruik van zuurstof en", "Helvetica-Bold", 12.0),
        (200, 686, "nader rapport", "Helvetica-Bold", 12.0),
    )
    assert _title(tmp_path, *placed) == "Advies over het gebruik van zuurstof en nader rapport"


@pytest.mark.quick
def test_a_title_beside_a_letterhead_with_more_letters_is_as_large_as_it_is_set(tmp_path: Path) -> None:
    placed = (
        (60, 780, "Regionaal Ziekenhuis Heilig Hart Leuven", "Helvetica", 10.0),
        (300, 780, "Transfusie van bloed", "Helvetica-Bold", 14.0),
    )
    assert _title(tmp_path, *placed) == "Transfusie van bloed"


@pytest.mark.quick
def test_a_title_beside_a_tall_name_goes_on_below_itself(tmp_path: Path) -> None:
    placed = (
        (60, 770, "ZNA", "Helvetica-Bold", 28.0),
        (180, 780, "Aanpak van sepsis", "Helvetica-Bold", 16.0),
        (180, 762, "bij volwassenen", "Helvetica-Bold", 16.0),
    )
    assert _title(tmp_path, *placed) == "Aanpak van sepsis bij volwassenen"


@pytest.mark.quick
def test_the_mark_of_a_footnote_is_no_part_of_the_title(tmp_path: Path) -> None:
    assert _title(tmp_path, (60, 760, "Zuurstof bij kinderen†", "Helvetica-Bold", 16.0)) == "Zuurstof bij kinderen"
    assert _title(tmp_path, (60, 760, "Doseren per m²", "Helvetica-Bold", 16.0)) == "Doseren per m²"


@pytest.mark.quick
def test_lines_of_a_title_may_stand_apart_on_a_cover_but_evenly(tmp_path: Path) -> None:
    placed = (
        (100, 500, "Beoordeling van de gevolgen", "Helvetica", 18.0),
        (100, 468, "Meldingen in de app", "Helvetica", 18.0),
    )
    assert _title(tmp_path, *placed, body=False) == "Beoordeling van de gevolgen Meldingen in de app"
    close = (
        (100, 500, "Beoordeling van de gevolgen", "Helvetica", 18.0),
        (100, 480, "van meldingen in de app", "Helvetica", 18.0),
        (100, 436, "Commissie De Wiel", "Helvetica", 18.0),
    )
    assert _title(tmp_path, *close, body=False) == "Beoordeling van de gevolgen van meldingen in de app"


@pytest.mark.quick
def test_a_dated_heading_that_names_what_the_file_does_goes_before_the_next_heading(tmp_path: Path) -> None:
    placed = (
        (60, 760, "Richtlijn ambulance: hitte en uitdroging v 2.0, 18 juli 2022", "Helvetica-Bold", 10.0),
        (60, 730, "Achtergrond", "Helvetica-Bold", 10.0),
    )
    assert _title(tmp_path, *placed, name="hitte-uitdroging-definitief.pdf").startswith("Richtlijn ambulance: hitte")
    assert _title(tmp_path, *placed, name="kp.pdf") == "Achtergrond"  # a date alone may be a header's


@pytest.mark.quick
def test_a_property_that_a_program_made_of_a_file_s_name_goes_behind_the_page(tmp_path: Path) -> None:
    placed = (60, 760, "Derdelijnsbehandeling van volwassenen", "Helvetica-Bold", 16.0)
    made = "Microsoft Word - protocol derdelijnsbehandeling volwassenen.doc"
    assert _title(tmp_path, placed, said=made) == "Derdelijnsbehandeling van volwassenen"
    small = (60, 760, "Derdelijnsbehandeling van volwassenen", "Helvetica", 10.0)
    assert _title(tmp_path, small, said="Derdelijnsbehandeling volwassenen") == "Derdelijnsbehandeling volwassenen"


@pytest.mark.quick
def test_a_kind_of_document_that_stands_apart_above_the_title_is_no_part_of_it(tmp_path: Path) -> None:
    placed = (
        (100, 700, "Eerste rapport", "Helvetica-Bold", 20.0),
        (100, 640, "Zorg op afstand in de regio", "Helvetica-Bold", 20.0),
        (100, 616, "en de opleiding van het personeel", "Helvetica-Bold", 20.0),
    )
    title = "Zorg op afstand in de regio en de opleiding van het personeel"
    assert _title(tmp_path, *placed, name="zorg-op-afstand-opleiding.pdf", body=False) == title


@pytest.mark.quick
def test_a_title_in_the_first_row_of_a_table_is_the_title(tmp_path: Path) -> None:
    placed = (
        (60, 760, "Zorg bij hypothermie", "Helvetica-Bold", 13.0),
        (400, 760, "Spoed", "Helvetica", 9.0),
        (60, 730, "Temperatuur", "Helvetica", 10.0),
        (400, 730, "Elk uur", "Helvetica", 10.0),
    )
    assert _title(tmp_path, *placed) == "Zorg bij hypothermie"


@pytest.mark.quick
def test_a_title_beside_a_longer_letterhead_is_one_of_its_names(tmp_path: Path) -> None:
    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(60, 780, "Algemeen Ziekenhuis Sint-Elders Antwerpen")
        canvas.drawString(380, 780, "Koorts bij volwassenen")
        canvas.setFont("Helvetica", 10)
        for n, line in enumerate(_BODY):
            canvas.drawString(60, 700 - 14 * n, line)

    path = write(tmp_path, "kp.pdf", pdf(page))
    assert "Koorts bij volwassenen" in read(path, path.name, PDF, max_pages=5).titles.names
