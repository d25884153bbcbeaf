"""A document is called what it is about, not by the letterhead or the form that it shares with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_api.ingest.titles import Opening, shared_titles
from tests.rag_api.pdfs import Draw, both, lines, pdf
from tests.rag_api.test_ingest import Place, place
from tests.rag_api.test_read_pdf import read_bytes

__all__ = ["place"]

SUBJECTS = {
    "wachtlijsten": "De wachtlijsten voor planbare zorg zijn in elke regio gedaald sinds het vorige verslag aan de raad.",
    "vaccinatie": "Alle kinderen van negen maanden krijgen een oproep met datum, plaats en uitleg over bijwerkingen.",
    "energie": "Het dak van de noordelijke vleugel wordt met panelen bedekt zodat koeling goedkoper draait.",
    "voeding": "Patiënten kiezen voortaan zelf hun maaltijd tot een uur voordat de keuken begint te koken.",
    "parkeren": "Bezoekers betalen vanaf zaterdag minder per uur, personeel gebruikt de garage achter het station.",
}


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


def test_a_template_s_property_is_no_title_of_those_made_with_it(place: Place) -> None:
    for name, text in SUBJECTS.items():

        def titled(canvas, text: str = text, name: str = name) -> None:  # type: ignore[no-untyped-def]
            canvas.setTitle("Sjabloon procedure ziekenhuis")
            both(lines(f"Regels voor {name}", y=780, size=18), lines(text, "Ten slotte.", y=700))(canvas)

        place.write(f"{name}.pdf", pdf(titled))
    place.ingest()
    assert {document.metadata.title for document in place.repo.current().values()} == {f"Regels voor {name}" for name in SUBJECTS}


def test_documents_of_earlier_runs_count(place: Place) -> None:
    names = list(SUBJECTS)
    for name in names[:3]:
        place.write(f"{name}.pdf", pdf(letter(name, SUBJECTS[name], line="")))
        place.ingest()
    assert place.document(f"{names[2]}.pdf").metadata.title == names[2]


def test_versions_and_twins_of_one_procedure_keep_their_titles(place: Place) -> None:
    body = ("Geef paracetamol traag over een kwartier.", "Controleer daarna de temperatuur van de patiënt.", "Noteer alles in het dossier.")
    for version in (1, 2, 3, 4):
        place.write(
            f"mrsa-{version}.pdf", pdf(both(lines("Screening op dragerschap", y=780, size=18), lines(*body, f"Versie {version}", y=700)))
        )
    for group in ("kinderen", "volwassenen"):
        place.write(f"{group}.pdf", pdf(both(lines(f"Paracetamol bij {group}", y=780, size=18), lines(*body, y=700))))
    place.ingest()
    titles = sorted(document.metadata.title for document in place.repo.current().values())
    assert titles == ["Paracetamol bij kinderen", "Paracetamol bij volwassenen", *["Screening op dragerschap"] * 4]


def test_a_title_is_shared_when_three_documents_of_different_words_bear_it() -> None:
    def opening(title: str, *words: str) -> Opening:
        return Opening((title,), frozenset(words))

    two = [opening("Brief", "melk", "kaas"), opening("Brief", "fiets", "trein")]
    assert shared_titles(two) == frozenset()
    assert shared_titles([*two, opening("BRIEF.", "zon", "maan")]) == {"brief"}
    assert shared_titles([*two, opening("Brief", "melk", "kaas")]) == frozenset()
