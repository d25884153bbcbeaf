"""Two documents that are one, or that bear one name: neither silently takes the other's place."""

from dataclasses import replace
from pathlib import Path

from rag_api.domain import Note, code_of
from rag_api.ingest.pipeline.copies import same_of
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.report import IngestReport
from rag_api.ingest.sources.sources import UPLOADED, SourceFile
from tests.rag_api.ingest.test_ingest import BODY, Place, place  # noqa: F401 - a fixture
from tests.rag_api.made_files.pdfs import procedure

# ruff: noqa: F811


def upload(place: Place, folder: Path, name: str, content: bytes) -> IngestReport:
    path = folder / f"upload-{name}"
    path.write_bytes(content)
    return ingest(
        [SourceFile(name, path, folder=UPLOADED)],
        settings=place.settings,
        documents_repo=place.repo,
        store=place.store,
        embedder=place.embedder,
        readers=1,
    )


def said(place: Place) -> dict[str, list[tuple[str, str]]]:
    """Return the codes of each document's notes with what they name."""
    return {
        source: [
            (code_of(one), next(iter(one.values.values()), "")) for one in document.warnings if isinstance(one, Note)
        ]
        for source, document in place.repo.current().items()
    }


def test_the_same_content_under_two_names_is_said_at_both_for_as_long_as_it_is_so(place: Place) -> None:
    place.write("d7.pdf", procedure("Kalium", BODY))
    place.ingest()
    place.write("kopie.pdf", procedure("Kalium", BODY))
    report = place.ingest()
    assert said(place) == {"d7.pdf": [("same_content", "kopie.pdf")], "kopie.pdf": [("same_content", "d7.pdf")]}
    assert [one.warnings[0].startswith("same content as ") for one in report.items] == [True, True]
    place.write("kopie.pdf", procedure("Kalium, herzien", BODY))
    place.ingest()
    assert said(place) == {"d7.pdf": [], "kopie.pdf": []}


def test_an_upload_beside_a_file_of_its_name_in_a_folder_is_another_document_and_both_say_so(
    place: Place, tmp_path: Path
) -> None:
    place.write("sub/x.pdf", procedure("Kalium", BODY))
    place.ingest()
    upload(place, tmp_path, "x.pdf", procedure("Kalium, herzien", BODY))
    assert said(place) == {"sub/x.pdf": [("same_name", "x.pdf")], "x.pdf": [("same_name", "sub/x.pdf")]}
    report = place.ingest()
    assert (report.unchanged, report.missing) == (1, ())
    assert sorted(place.repo.current()) == ["sub/x.pdf", "x.pdf"]
    place.check()


def test_an_upload_with_the_content_of_a_file_in_a_folder_is_neither_moved_nor_missing(
    place: Place, tmp_path: Path
) -> None:
    upload(place, tmp_path, "x.pdf", procedure("Kalium", BODY))
    place.write("sub/x.pdf", procedure("Kalium", BODY))
    report = place.ingest()
    assert (report.indexed, report.items[0].renamed_from, report.missing) == (1, "", ())
    assert said(place) == {"sub/x.pdf": [("same_content", "x.pdf")], "x.pdf": [("same_content", "sub/x.pdf")]}


def test_a_copy_is_named_only_where_all_who_read_the_note_may_read_it(place: Place) -> None:
    for name in ("a.pdf", "b.pdf"):
        place.write(name, procedure("Kalium", BODY))
    place.ingest()
    known = dict(place.repo.current())
    known["b.pdf"] = replace(known["b.pdf"], groups=("icu",))
    assert {
        source: [one.values["documents"] for one in notes] for source, notes in same_of(known, {}).items() if notes
    } == {"b.pdf": ["a.pdf"]}


def test_files_of_one_name_in_two_folders_are_usual(place: Place) -> None:
    for group in ("kinderen", "volwassenen"):
        place.write(f"{group}/morfine.pdf", procedure(f"Morfine bij {group}", BODY))
    place.ingest()
    assert not any(said(place).values())


def test_an_upload_that_takes_a_files_place_says_so_and_so_does_the_file_that_comes_back(
    place: Place, tmp_path: Path
) -> None:
    place.write("x.pdf", procedure("Kalium", BODY))
    place.ingest()
    (item,) = upload(place, tmp_path, "x.pdf", procedure("Kalium, herzien", BODY)).items
    assert [code_of(one) for one in item.warnings] == ["replaces_in_folder"]
    (item,) = place.ingest().items
    [said_now] = item.warnings
    assert code_of(said_now) == "replaces_uploaded"
    assert "(everyone)" in said_now, "who reads it is what the upload said"
    assert place.document("x.pdf").metadata.title == "Kalium"


def test_an_upload_that_cannot_be_read_takes_no_files_place(place: Place, tmp_path: Path) -> None:
    place.write("x.pdf", procedure("Kalium", BODY))
    place.ingest()
    before = place.document("x.pdf")
    (item,) = upload(place, tmp_path, "x.pdf", b"%PDF-1.7 nothing else").items
    assert (item.outcome, item.reason, item.kept) == ("failed", "broken", True)
    assert place.document("x.pdf") == before
    (again,) = place.ingest().items
    assert (again.outcome, again.warnings) == ("unchanged", ())
    place.check()
