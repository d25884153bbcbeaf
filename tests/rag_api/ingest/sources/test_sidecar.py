"""metadata.csv: a wrong cell costs its document and no other, and what it says against the file's
own words is told."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from rag_api.domain import Metadata, Page, ReadDocument, TargetGroup, Titles
from rag_api.errors import InvalidInput
from rag_api.ingest.common.contradictions import contradictions
from rag_api.ingest.pipeline.stale_versions import PATIENCE
from rag_api.ingest.sources.sidecar import read_sidecar
from tests.rag_api.ingest.test_ingest import BODY, Place, place
from tests.rag_api.made_files.here import reader_here
from tests.rag_api.made_files.pdfs import both, lines, pdf, procedure, write

__all__ = ["place", "reader_here"]

WRONG = {
    "valid_until": ("2019-13-45", "valid_until is no date: '2019-13-45'"),
    "target_groups": ("adult;kidneren", "target_groups names no patients that are known: 'kidneren'"),
    "groups": (";", "groups names no groups"),
    "valid_from": ("morgen", "valid_from is no date: 'morgen'"),
}


def test_a_sidecar_may_be_comma_or_semicolon_separated(tmp_path: Path) -> None:
    write(tmp_path, "metadata.csv", '\ufeffsource,title,target_groups\nkalium.pdf,"Kalium, IV",adult;child\n'.encode())
    assert read_sidecar(tmp_path).given("kalium.pdf") == {"title": "Kalium, IV", "target_groups": "adult;child"}
    write(tmp_path, "metadata.csv", b"source;title\nkalium.pdf;Kalium\n;\n")
    assert read_sidecar(tmp_path).given("kalium.pdf") == {"title": "Kalium"}
    assert read_sidecar(tmp_path).notes(["kalium.pdf"]) == ()


@pytest.mark.parametrize(("field", "cell", "said"), [(field, *case) for field, case in WRONG.items()])
def test_a_wrong_cell_is_named_with_its_line(field: str, cell: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, "metadata.csv", f'source,title,{field}\na.pdf,A,\nb.pdf,B,"{cell}"\n'.encode())
    sidecar = read_sidecar(tmp_path)
    assert sidecar.wrong("b.pdf").startswith(f"{tmp_path / 'metadata.csv'}, line 3: {said}")
    assert (sidecar.given("b.pdf"), sidecar.wrong("a.pdf"), sidecar.given("a.pdf")) == ({}, "", {"title": "A"})


def test_dates_that_end_before_they_begin_and_cells_too_many_are_wrong(tmp_path: Path) -> None:
    text = (
        "source,title,valid_from,valid_until\na.pdf,A,2026-01-01,2025-01-01\nb.pdf,Kalium, IV,2026-01-01,2027-01-01\n"
    )
    write(tmp_path, "metadata.csv", text.encode())
    assert "valid_until 2025-01-01 lies before valid_from 2026-01-01" in read_sidecar(tmp_path).wrong("a.pdf")
    assert "more cells than the first line names" in read_sidecar(tmp_path).wrong("b.pdf")


def test_a_sidecar_whose_columns_are_not_known_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "metadata.csv", b"source,dienst\nkalium.pdf,Apotheek\n")
    with pytest.raises(InvalidInput, match="not dienst"):
        read_sidecar(tmp_path)


def test_rows_without_a_file_and_rows_for_one_file_are_named(tmp_path: Path) -> None:
    text = "source,title,target_groups\na.pdf,A,adult\nweg.pdf,Weg,\nb.pdf,B,adult\na.pdf,A,child\nb.pdf,B,adult\n"
    write(tmp_path, "metadata.csv", text.encode())
    sidecar, path = read_sidecar(tmp_path), tmp_path / "metadata.csv"
    assert sidecar.notes(["a.pdf", "b.pdf", "metadata.csv"]) == (
        f"{path}, line 3: there is no file weg.pdf beside it",
        f"{path}, lines 4 and 6: the same is said of b.pdf twice",
    )
    assert sidecar.wrong("a.pdf") == f"{path}, lines 2 and 5: two rows are about one file, and differ in target_groups"
    assert sidecar.given("b.pdf") == {"title": "B", "target_groups": "adult"}


@pytest.mark.usefixtures("reader_here")
def test_one_wrong_cell_costs_its_document_and_no_other(place: Place) -> None:
    for name in "abc":
        place.write(f"{name}.pdf", procedure(f"Procedure {name}", BODY))
    place.write("metadata.csv", b"source,owner,valid_until\na.pdf,Apotheek,\nb.pdf,Spoed,2019-13-45\nd.pdf,,\n")
    report = place.ingest()
    (failed,) = [item for item in report.items if item.outcome == "failed"]
    assert (report.indexed, failed.source, failed.reason) == (2, "b.pdf", "wrong_metadata")
    assert "line 3: valid_until is no date" in failed.message
    assert "line 4: there is no file d.pdf" in report.notes[0]
    assert place.document("a.pdf").metadata.owner == "Apotheek"
    place.write("metadata.csv", b"source,owner,valid_until\na.pdf,Apotheek,\nb.pdf,Spoed,2029-12-31\n")
    assert place.ingest().indexed == 1
    assert place.document("b.pdf").metadata.owner == "Spoed"
    place.check()


@pytest.mark.usefixtures("reader_here")
def test_a_document_whose_row_becomes_wrong_answers_as_before_for_a_day(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("b.pdf", procedure("Procedure b", BODY))
    place.write("metadata.csv", b"source,valid_until\nb.pdf,2029-12-31\n")
    place.ingest()
    before = place.document("b.pdf")
    place.write("metadata.csv", b"source,valid_until\nb.pdf,31-02-2030\n")
    report = place.ingest()
    assert (report.failed, report.kept) == (1, 1)
    kept = place.document("b.pdf")
    assert (kept.id, kept.status, kept.metadata) == (before.id, "indexed", before.metadata)
    place.check()
    monkeypatch.setattr("rag_api.ingest.pipeline.stale_versions.PATIENCE", 0.0)
    assert (place.ingest().failed, place.document("b.pdf").status) == (1, "failed")
    place.check()


@pytest.mark.usefixtures("reader_here")
def test_a_half_written_file_leaves_its_version_before_in_place_and_is_tried_again(place: Place) -> None:
    whole, newer = procedure("Kalium", BODY), procedure("Kalium, herzien", BODY)
    place.write("kalium.pdf", whole)
    place.ingest()
    before = place.document("kalium.pdf")
    for part in (newer[: len(newer) // 2], b"", newer[:-30]):
        place.write("kalium.pdf", part)
        report = place.ingest()
        (item,) = report.items
        assert (report.failed, report.kept, item.document_id) == (1, 1, before.id)
        assert "its version before still answers for now, and the file is tried again" in item.message
        (warning,) = place.document("kalium.pdf").warnings
        assert warning.startswith("its file cannot be read now (")
        place.check()
    place.write("kalium.pdf", newer)
    assert (place.ingest().indexed, place.document("kalium.pdf").metadata.title) == (1, "Kalium, herzien")
    place.write("kalium.pdf", newer[:-30])
    place.ingest()
    place.write("kalium.pdf", newer)
    assert (place.ingest().indexed, place.document("kalium.pdf").warnings) == (1, ())
    place.check()


@pytest.mark.usefixtures("reader_here")
@pytest.mark.parametrize("case", ["long ago", "no words"])
def test_a_file_that_is_whole_and_cannot_be_read_takes_its_version_out(
    case: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it replaces is no longer what the hospital says."""
    assert PATIENCE == 24 * 3600
    place.write("kalium.pdf", procedure("Kalium", BODY))
    place.ingest()
    if case == "long ago":
        monkeypatch.setattr("rag_api.ingest.pipeline.stale_versions.PATIENCE", 0.0)
    place.write("kalium.pdf", pdf(lambda canvas: None) if case == "no words" else b"%PDF-1.7 nothing else")
    report = place.ingest()
    assert (report.failed, report.kept, place.document("kalium.pdf").status) == (1, 0, "failed")
    place.check()


def page(text: str) -> Page:
    return Page(1, 595, 842, 0, 0, text, np.zeros((len(text), 4), np.float32))


ADULT = ReadDocument(
    Metadata("Morfine bij volwassenen", target_groups=(TargetGroup.ADULT,), valid_until=date(2030, 1, 1)),
    (page("Morfine bij volwassenen\nVersie 2, geldig tot 01-01-2030\nGeef volwassenen 10 mg morfine."),),
    titles=Titles(("Morfine bij volwassenen",)),
)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"target_groups": "child"}, ["that it is about child, the file itself adult"]),
        ({"target_groups": "adult;child"}, ["that it is about adult and child, the file itself adult"]),
        ({"title": "Morfine bij kinderen"}, ["the title 'Morfine bij kinderen', of child, and the file itself adult"]),
        ({"valid_until": "2021-01-01"}, ["that it is valid until 2021-01-01, the file itself 2030-01-01"]),
        (
            {"title": "Vancomycine doseren op de spoedgevallen"},
            ["that it is called 'Vancomycine doseren op de spoedgevallen'"],
        ),
        ({"title": "Morfine", "target_groups": "adult", "valid_until": "1-1-2030", "owner": "Pijnteam"}, []),
        ({"title": "MORFINE bij volwassenen."}, []),
        ({}, []),
    ],
)
def test_what_is_said_against_the_files_own_words_is_told(given: dict[str, str], said: list[str]) -> None:
    found = contradictions(ADULT, given, "metadata.csv")
    assert len(found) == len(said)
    for warning, words in zip(found, said, strict=True):
        assert warning.startswith(f"metadata.csv says {words}")


@pytest.mark.usefixtures("reader_here")
def test_a_sidecar_that_turns_patients_round_warns_on_the_document(place: Place) -> None:
    content = pdf(
        both(
            lines("Morfine bij volwassenen", y=780, size=18),
            lines("Doelgroep: volwassenen", "Geef 10 mg morfine.", y=700),
        )
    )
    place.write("adult.pdf", content)
    place.write("metadata.csv", b"source,title,target_groups\nadult.pdf,Morfine bij kinderen,child\n")
    place.ingest()
    document = place.document("adult.pdf")
    assert document.metadata.target_groups == (TargetGroup.CHILD,)
    assert [
        w
        for w in document.warnings
        if "that it is about child, the file itself adult: check which patients it is for" in w
    ]
