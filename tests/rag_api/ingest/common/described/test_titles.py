"""A document is called what it is about, not by the letterhead or the form that it shares with
others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reportlab.pdfgen.canvas import Canvas

from rag_api.domain import Edit
from rag_api.ingest.common.chunk import embedding_text
from rag_api.ingest.common.described.metadata import patients_in
from rag_api.ingest.common.described.titles import many_differ
from rag_api.ingest.readers.read import read
from tests.rag_api.ingest.readers.test_read_pdf import read_bytes
from tests.rag_api.ingest.test_ingest import Place, place
from tests.rag_api.made_files.here import reader_here
from tests.rag_api.made_files.pdfs import Draw, both, lines, pdf, write

__all__ = ["place", "reader_here"]

SUBJECTS = {
    "wachtlijsten": "De wachtlijsten voor planbare zorg zijn in elke regio gedaald sinds het vorige verslag aan de "
    "raad.",
    "vaccinatie": "Alle kinderen van negen maanden krijgen een oproep met datum, plaats en uitleg over bijwerkingen.",
    "energie": "Het dak van de noordelijke vleugel wordt met panelen bedekt zodat koeling goedkoper draait.",
    "voeding": "Patiënten kiezen voortaan zelf hun maaltijd tot een uur voordat de keuken begint te koken.",
    "parkeren": "Bezoekers betalen vanaf zaterdag minder per uur, personeel gebruikt de garage achter het station.",
}


BODY = (
    "Spoel om de acht uur met tien milliliter.",
    "Noteer het uur en de hoeveelheid in het dossier.",
    "Bel bij pijn de arts van wacht.",
)


def letter(subject: str, text: str, head: str = "Raad van de Regio", line: str = "Betreft: {subject}") -> Draw:
    drawn = [lines(head, y=800, size=20, font="Helvetica-Bold"), lines(text, "Hoogachtend, het bestuur", y=640)]
    return both(*drawn, lines(line.format(subject=subject), y=700)) if line else both(*drawn)


@pytest.mark.parametrize("label", ["Betreft", "Onderwerp", "Subject"])
def test_a_letter_is_called_by_its_subject_line(label: str, tmp_path: Path) -> None:
    content = pdf(letter("Wachtlijsten in de regio", SUBJECTS["wachtlijsten"], line=f"{label}: {{subject}}"))
    assert read_bytes(tmp_path, content).metadata.title == "Wachtlijsten in de regio"


def test_a_heading_goes_before_a_larger_letterhead(tmp_path: Path) -> None:
    page = both(
        lines("Sint-Aurelia Ziekenhuis", y=800, size=22),
        lines("Zorg voor de katheter", y=720, size=16),
        lines("Spoel om de acht uur.", "Noteer het uur.", y=680),
    )
    assert read_bytes(tmp_path, pdf(page)).metadata.title == "Zorg voor de katheter"


def test_a_heading_of_many_lines_is_one_title_and_what_stands_elsewhere_is_none_of_it(tmp_path: Path) -> None:
    heading = ("Zorg voor de katheter", "bij volwassenen op de", "afdeling en thuis")
    page = both(
        lines("Mei 2024", x=480, y=800, size=16), lines(*heading, y=782, size=16, leading=18), lines(*BODY, y=680)
    )
    assert read_bytes(tmp_path, pdf(page)).metadata.title == " ".join(heading)


def test_a_cover_is_called_as_its_file_is_and_not_by_the_larger_name_of_its_maker(tmp_path: Path) -> None:
    cover = both(lines("Raad van Verpleegkunde", y=790, size=24), lines("Zorg voor de katheter", y=240, size=18))
    content = pdf(cover, lines("Spoel om de acht uur.", "Noteer het uur."))
    path = write(tmp_path, "RVV_katheter_2024.pdf", content)
    assert read(path, path.name, "application/pdf", 10).metadata.title == "Zorg voor de katheter"


def test_a_name_that_stands_in_the_header_of_every_page_is_the_title(tmp_path: Path) -> None:
    pages = [
        both(lines("Zorg voor de katheter", y=810, size=9), lines(f"{n}. Eerst de handen.", *BODY, y=700))
        for n in range(3)
    ]
    found = read_bytes(tmp_path, pdf(*pages))
    assert "katheter" not in found.text
    assert found.metadata.title == "Zorg voor de katheter"


def test_a_property_of_which_the_page_shows_nothing_is_no_title(tmp_path: Path) -> None:
    def titled(canvas: Canvas) -> None:
        canvas.setTitle("PowerPoint Presentation")
        both(lines("Zorg voor de katheter", y=780, size=18), lines(*BODY, y=700))(canvas)

    assert read_bytes(tmp_path, pdf(titled)).metadata.title == "Zorg voor de katheter"


def test_a_subject_may_stand_below_its_label(tmp_path: Path) -> None:
    page = both(
        lines("Datum", y=780, size=14),
        lines("Onderwerp", y=740, size=14),
        lines("Zorg voor de katheter", "Spoel hem.", y=720, leading=40),
    )
    assert read_bytes(tmp_path, pdf(page)).metadata.title == "Zorg voor de katheter"


@pytest.mark.parametrize(
    ("title", "named"),
    [("Asthma in pregnant patients", True), ("Do not give this to children or pregnant patients.", False)],
)
def test_a_sentence_names_no_patients_of_its_document(title: str, named: bool) -> None:
    assert bool(patients_in(title)) is named


def test_a_heading_that_documents_about_different_things_share_is_no_title(place: Place) -> None:
    """Without a subject line the next heading, else the file's name."""
    for name, text in SUBJECTS.items():
        place.write(f"{name}.pdf", pdf(letter(name, text, line="")))
    second = both(letter("x", SUBJECTS["energie"][::-1], line=""), lines("Verslag van maart", y=740, size=15))
    place.write("verslag.pdf", pdf(second))
    place.ingest()
    titles = {document.source: document.metadata.title for document in place.repo.current().values()}
    assert titles == {f"{name}.pdf": name for name in SUBJECTS} | {"verslag.pdf": "Verslag van maart"}
    assert not any("Raad van de Regio\nTekst" in text for text in place.embedder.seen)


@pytest.mark.usefixtures("reader_here")
def test_a_letterhead_that_only_others_can_tell_leaves_the_title(place: Place) -> None:
    """Three bear it, but who reads the first may not read the two others: its title must not tell
    of them. For their readers it is one."""
    names = list(SUBJECTS)[:3]
    place.repo.put_source_groups({f"{name}.pdf": ["icu"] for name in names[1:]})
    for name in names:
        place.write(f"{name}.pdf", pdf(letter(name, SUBJECTS[name], line="")))
        place.ingest()
    assert [place.document(f"{name}.pdf").metadata.title for name in names] == ["Raad van de Regio", *names[1:]]


def test_a_template_s_property_is_no_title_of_those_made_with_it(place: Place) -> None:
    for name, text in SUBJECTS.items():

        def titled(canvas, text: str = text, name: str = name) -> None:  # type: ignore[no-untyped-def]
            canvas.setTitle("Sjabloon procedure ziekenhuis")
            both(lines(f"Regels voor {name}", y=780, size=18), lines(text, "Ten slotte.", y=700))(canvas)

        place.write(f"{name}.pdf", pdf(titled))
    place.ingest()
    assert {document.metadata.title for document in place.repo.current().values()} == {
        f"Regels voor {name}" for name in SUBJECTS
    }


def test_documents_of_earlier_runs_count(place: Place) -> None:
    names = list(SUBJECTS)
    for name in names[:3]:
        place.write(f"{name}.pdf", pdf(letter(name, SUBJECTS[name], line="")))
        place.ingest()
    assert place.document(f"{names[2]}.pdf").metadata.title == names[2]


def test_versions_and_twins_of_one_procedure_keep_their_titles(place: Place) -> None:
    body = (
        "Geef paracetamol traag over een kwartier.",
        "Controleer daarna de temperatuur van de patiënt.",
        "Noteer alles in het dossier.",
    )
    for version in (1, 2, 3, 4):
        place.write(
            f"mrsa-{version}.pdf",
            pdf(both(lines("Screening op dragerschap", y=780, size=18), lines(*body, f"Versie {version}", y=700))),
        )
    for group in ("kinderen", "volwassenen"):
        place.write(f"{group}.pdf", pdf(both(lines(f"Paracetamol bij {group}", y=780, size=18), lines(*body, y=700))))
    place.ingest()
    titles = sorted(document.metadata.title for document in place.repo.current().values())
    assert titles == ["Paracetamol bij kinderen", "Paracetamol bij volwassenen", *["Screening op dragerschap"] * 4]


def test_a_title_is_shared_when_three_documents_of_different_words_bear_it() -> None:
    milk, bike, sun = frozenset({"melk", "kaas"}), frozenset({"fiets", "trein"}), frozenset({"zon", "maan"})
    assert not many_differ([milk, bike])
    assert many_differ([milk, bike, sun])
    assert not many_differ([milk, bike, milk, milk, bike])


@pytest.mark.usefixtures("reader_here")
def test_documents_of_one_letterhead_taken_in_one_by_one_get_their_own_titles(place: Place) -> None:
    """The first two bear it until the third shows what it is; then they are called and embedded by
    their own."""
    words = [line.split() for line in SUBJECTS.values()]
    for number in range(21):
        own = f"{chr(97 + number)}" * 6
        text = " ".join(f"{word}{own}" for word in words[number % len(words)])
        place.write(f"{own}.pdf", pdf(letter(own, text, line="")))
        report = place.ingest()
        titles = {document.source: document.metadata.title for document in place.repo.current().values()}
        if number == 1:
            assert set(titles.values()) == {"Raad van de Regio"}
        if number > 1:
            assert titles == {source: source.removesuffix(".pdf") for source in titles}
        assert len(report.retitled) == (2 if number == 2 else 0)
        assert len(titles) == number + 1
    for document in place.repo.current().values():
        chunks, vectors = place.store.chunks_of(document.id)
        assert {chunk.title for chunk in chunks} == {document.metadata.title}
        again = place.embedder.passages([embedding_text(chunk) for chunk in chunks])
        assert np.allclose(vectors, again)
    place.check()
    seen = len(place.embedder.seen)
    assert place.ingest().unchanged == 21
    assert len(place.embedder.seen) == seen


@pytest.mark.usefixtures("reader_here")
def test_patients_that_a_letterhead_named_go_with_it(place: Place) -> None:
    for name, text in list(SUBJECTS.items())[:3]:
        place.write(f"{name}.pdf", pdf(letter(name, text, head="Zorg bij kinderen", line="")))
        place.ingest()
    assert {(d.metadata.title, d.metadata.target_groups) for d in place.repo.current().values()} == {
        (n, ()) for n in list(SUBJECTS)[:3]
    }


@pytest.mark.usefixtures("reader_here")
def test_a_title_that_an_admin_or_a_sidecar_said_stays(place: Place) -> None:
    names = list(SUBJECTS)[:4]
    place.write("metadata.csv", f"source,title\n{names[0]}.pdf,Wachten\n".encode())
    for n, name in enumerate(names):
        place.write(f"{name}.pdf", pdf(letter(name, SUBJECTS[name], line="")))
        place.ingest()
        if n == 1:
            place.repo.edited[f"{name}.pdf"] = {"title": Edit("Prik", "Raad van de Regio")}
    assert [place.document(f"{name}.pdf").metadata.title for name in names] == [
        "Wachten",
        "Raad van de Regio",
        *names[2:],
    ]
    place.settings = place.settings.model_copy(update={"chunk_size": 500})
    place.ingest()
    assert [place.document(f"{name}.pdf").metadata.title for name in names] == ["Wachten", "Prik", *names[2:]]


@pytest.mark.usefixtures("reader_here")
def test_a_run_that_was_killed_between_list_and_index_reads_the_document_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = list(SUBJECTS)[:3]
    for name in names:
        place.write(f"{name}.pdf", pdf(letter(name, SUBJECTS[name], line="")))
        if name == names[2]:
            monkeypatch.setattr("rag_api.ingest.pipeline.letterheads.describe", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                place.ingest()
            monkeypatch.undo()
        place.ingest()
    titles = {
        chunk.title for document in place.repo.current().values() for chunk in place.store.chunks_of(document.id)[0]
    }
    assert titles == set(names)
