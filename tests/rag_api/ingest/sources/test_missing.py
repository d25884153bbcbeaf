"""A file that is gone from a folder is named, retired with care, and known again under another
name."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from rag_api.domain import DocumentStatus, Edit
from rag_api.errors import TooManyMissing
from rag_api.ingest.pipeline.index import ingest
from rag_api.ingest.sources.report import IngestReport
from rag_api.ingest.sources.sources import SourceFile, survey
from rag_api.ingest.sources.uploads import clear_uploads, upload_file
from tests.rag_api.ingest.test_ingest import BODY, Place, place
from tests.rag_api.made_files.docx_files import docx, p, r
from tests.rag_api.made_files.here import reader_here
from tests.rag_api.made_files.pdfs import procedure

__all__ = ["place", "reader_here"]


def fill(place: Place, count: int, folder: str = "") -> None:
    for number in range(count):
        place.write(
            f"{folder}d{number}.pdf", procedure(f"Procedure {folder}{number}", [*BODY, f"Nummer {folder}{number}."])
        )


def from_folder(place: Place, *folders: Path, retire_missing: bool = False, confirmed: bool = False) -> IngestReport:
    return ingest(
        survey(folders),
        settings=place.settings,
        documents_repo=place.repo,
        store=place.store,
        embedder=place.embedder,
        readers=1,
        retire_missing=retire_missing,
        confirmed=confirmed,
    )


def test_a_removed_file_is_named_and_retired_only_when_asked(place: Place) -> None:
    fill(place, 10)
    place.ingest()
    gone = place.document("d3.pdf")
    (place.folder / "d3.pdf").unlink()
    report = place.ingest()
    assert report.retired == 0
    assert [(missing.source, missing.document_id, missing.title) for missing in report.missing] == [
        ("d3.pdf", gone.id, "Procedure 3")
    ]
    report = place.ingest(retire_missing=True)
    assert (report.retired, report.missing) == (1, ())
    assert place.repo.documents[gone.id].status == DocumentStatus.RETIRED
    assert len(place.repo.current()) == 9
    place.check()


def test_more_than_a_tenth_is_only_retired_when_someone_says_so(place: Place) -> None:
    fill(place, 10)
    place.ingest()
    (place.folder / "d3.pdf").unlink()
    (place.folder / "d4.pdf").write_bytes(procedure("Anders", BODY))
    (place.folder / "d5.pdf").unlink()
    with pytest.raises(TooManyMissing, match=r"2 of 10 documents are missing from .*Nothing was retired; with --yes"):
        place.ingest(retire_missing=True)
    assert len(place.repo.current()) == 10
    assert place.document("d4.pdf").metadata.title == "Procedure 4"  # nothing else was done either
    assert place.ingest(retire_missing=True, confirmed=True).retired == 2
    place.check()


def test_a_folder_that_is_not_mounted_empties_nothing(place: Place) -> None:
    fill(place, 3)
    place.ingest()
    shutil.rmtree(place.folder)
    place.folder.mkdir()
    assert len(place.ingest().missing) == 3
    with pytest.raises(TooManyMissing, match="holds no documents: is it mounted"):
        place.ingest(retire_missing=True)
    assert len(place.repo.current()) == 3
    assert place.ingest(retire_missing=True, confirmed=True).retired == 3


def test_other_folders_uploads_and_single_files_are_not_missing(place: Place, tmp_path: Path) -> None:
    fill(place, 2)
    other = tmp_path / "spoed"
    place.ingest()
    for name in ("spoed1.pdf", "geladen.pdf"):
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_bytes(procedure(name, BODY))
    assert from_folder(place, other / "spoed1.pdf").missing == ()
    ingest(
        [SourceFile("geladen2.pdf", other / "geladen.pdf", folder="upload")],
        settings=place.settings, documents_repo=place.repo, store=place.store, embedder=place.embedder, readers=1,
    )  # fmt: skip
    assert from_folder(place, other).missing == ()
    assert place.ingest().missing == ()
    assert {"d0.pdf", "d1.pdf", "spoed1.pdf", "geladen.pdf", "geladen2.pdf"} == set(place.repo.current())
    with pytest.raises(TooManyMissing, match="needs the folder"):
        from_folder(place, other / "spoed1.pdf", retire_missing=True)


def test_a_collection_that_moved_as_a_whole_misses_what_did_not_come_along(place: Place, tmp_path: Path) -> None:
    fill(place, 4)
    place.ingest()
    shutil.copytree(place.folder, tmp_path / "2026-11")
    (tmp_path / "2026-11" / "d1.pdf").unlink()
    report = from_folder(place, tmp_path / "2026-11")
    assert (report.unchanged, [missing.source for missing in report.missing]) == (3, ["d1.pdf"])


def test_a_moved_file_keeps_its_document_and_its_edits(place: Place) -> None:
    place.write("oud/anafylaxie.pdf", procedure("Anafylaxie", BODY))
    place.write("oud/sepsis.pdf", procedure("Sepsis", BODY))
    place.ingest()
    before, seen = place.document("oud/anafylaxie.pdf"), len(place.embedder.seen)
    place.repo.edited["oud/anafylaxie.pdf"] = {"owner": Edit("Spoed", "")}
    (place.folder / "nieuw").mkdir()
    (place.folder / "oud" / "anafylaxie.pdf").rename(place.folder / "nieuw" / "anafylaxie 2026.pdf")
    report = place.ingest()
    assert (report.unchanged, report.indexed, report.missing) == (2, 0, ())
    (moved,) = [item for item in report.items if item.renamed_from]
    assert (moved.source, moved.renamed_from, moved.document_id) == (
        "nieuw/anafylaxie 2026.pdf",
        "oud/anafylaxie.pdf",
        before.id,
    )
    assert place.document("nieuw/anafylaxie 2026.pdf").id == before.id
    assert place.repo.edits()["nieuw/anafylaxie 2026.pdf"]["owner"].value == "Spoed"
    assert len(place.embedder.seen) == seen
    assert [item.renamed_from for item in place.ingest().items] == ["", ""]
    place.check()


def test_a_document_that_is_called_by_its_files_name_gets_the_new_one_and_keeps_an_edit(place: Place) -> None:
    docx(place.folder / "kalium oud.docx", *(p(r(line)) for line in BODY))
    place.ingest()
    document = place.document("kalium oud.docx")
    assert document.metadata.title == "kalium oud"
    (place.folder / "kalium oud.docx").rename(place.folder / "kalium nieuw.docx")
    assert place.ingest().indexed == 1
    assert place.document("kalium nieuw.docx").metadata.title == "kalium nieuw"
    place.repo.edited["kalium nieuw.docx"] = {"title": Edit("Kalium bij volwassenen", "kalium nieuw")}
    (place.folder / "kalium nieuw.docx").rename(place.folder / "kalium.docx")
    (place.folder / "kalium oud.docx").unlink(missing_ok=True)
    place.ingest()
    place.settings = place.settings.model_copy(update={"chunk_size": 500})
    assert place.ingest().indexed == 1
    after = place.document("kalium.docx")
    assert (after.id, after.metadata.title) == (document.id, "Kalium bij volwassenen")
    place.check()


def test_a_copy_is_no_move_and_the_old_name_can_be_taken_again(place: Place) -> None:
    content = procedure("Kalium", BODY)
    place.write("a.pdf", content)
    place.ingest()
    place.write("b.pdf", content)
    assert place.ingest().indexed == 1  # a second document
    assert len({d.id for d in place.repo.current().values()}) == 2
    (place.folder / "a.pdf").rename(place.folder / "c.pdf")
    assert [item.renamed_from for item in place.ingest().items if item.source == "c.pdf"] == ["a.pdf"]
    place.write("a.pdf", content)  # would have the id that c.pdf has kept
    assert place.ingest().indexed == 1
    assert len({d.id for d in place.repo.current().values()}) == 3
    place.check()


@pytest.mark.usefixtures("reader_here")
def test_a_moved_file_whose_name_another_takes_stays_the_same_document(place: Place) -> None:
    place.write("protocol.pdf", procedure("Kalium", BODY))
    place.write("anders.pdf", procedure("Anders", BODY))
    place.ingest()
    before, seen = place.document("protocol.pdf"), len(place.embedder.seen)
    place.repo.edited["protocol.pdf"] = {"owner": Edit("Spoed", "")}
    place.repo.put_source_groups({"protocol.pdf": ["spoed"]})
    (place.folder / "protocol.pdf").rename(place.folder / "protocol-oud.pdf")
    place.write("protocol.pdf", procedure("Kalium, herzien", BODY))
    report = place.ingest()
    assert (report.indexed, report.unchanged, report.missing) == (1, 2, ())
    assert [(item.source, item.renamed_from) for item in report.items if item.renamed_from] == [
        ("protocol-oud.pdf", "protocol.pdf")
    ]
    moved, new = place.document("protocol-oud.pdf"), place.document("protocol.pdf")
    assert (moved.id, moved.status, moved.metadata.title, new.metadata.title) == (
        before.id,
        "indexed",
        "Kalium",
        "Kalium, herzien",
    )
    assert new.id not in (moved.id, "")
    assert list(place.repo.edited) == ["protocol-oud.pdf"]
    assert moved.groups == new.groups == ("spoed",)
    assert "has the name that protocol-oud.pdf had, which is answered from too" in new.warnings[0]
    assert len(place.embedder.seen) == seen + new.chunk_count
    assert [item.renamed_from for item in place.ingest().items] == [""] * 3
    place.check()


@pytest.mark.usefixtures("reader_here")
def test_two_files_that_exchange_their_names_stay_under_them(place: Place) -> None:
    """Neither name is new: each is the name's next version, as the name is what a hospital knows a
    procedure by."""
    one, two = procedure("Kalium", BODY), procedure("Natrium", BODY)
    place.write("a.pdf", one)
    place.write("b.pdf", two)
    place.ingest()
    place.write("a.pdf", two)
    place.write("b.pdf", one)
    report = place.ingest()
    assert (report.indexed, [item.renamed_from for item in report.items]) == (2, ["", ""])
    assert (place.document("a.pdf").metadata.title, place.document("b.pdf").metadata.title) == ("Natrium", "Kalium")
    place.check()


def test_a_file_that_was_moved_and_changed_is_a_new_document(place: Place) -> None:
    fill(place, 2)
    place.ingest()
    (place.folder / "d0.pdf").unlink()
    place.write("e0.pdf", procedure("Procedure 0", [*BODY, "Nieuwe zin."]))
    report = place.ingest()
    assert (report.indexed, [missing.source for missing in report.missing]) == (1, ["d0.pdf"])


def test_two_folders_with_other_files_of_one_name_are_named(place: Place, tmp_path: Path) -> None:
    fill(place, 3)
    place.ingest()
    other = tmp_path / "kinderen"
    other.mkdir()
    (other / "d0.pdf").write_bytes(procedure("Voor kinderen", BODY))
    report = from_folder(place, other)
    (warning,) = report.items[0].warnings
    assert warning.startswith("replaces another file of this name, in ")
    assert report.missing == ()


def test_what_a_killed_upload_left_is_removed_and_what_is_being_uploaded_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "uploads"
    folder.mkdir()
    (folder / "tmpabc.pdf").write_bytes(b"left behind")
    (folder / "tmpnew.pdf").write_bytes(b"just made")
    os.utime(folder / "tmpabc.pdf", (time.time() - 60,) * 2)
    with upload_file(tmp_path, ".pdf") as kept:
        os.utime(kept.name, (time.time() - 60,) * 2)
        assert clear_uploads(tmp_path) == 1
        assert Path(kept.name).exists()
        assert not (folder / "tmpabc.pdf").exists()
    assert [path.name for path in folder.iterdir()] == ["tmpnew.pdf"]
