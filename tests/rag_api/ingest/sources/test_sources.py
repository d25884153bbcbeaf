"""Files in a folder: read, or counted by its kind."""

from __future__ import annotations

from pathlib import Path

from rag_api.ingest.sources.sources import Skipped, find_sources, survey
from tests.rag_api.ingest.test_ingest import Place, place
from tests.rag_api.made_files.pdfs import write

__all__ = ["place"]


def test_what_is_not_read_is_counted_by_its_kind(tmp_path: Path) -> None:
    folder = tmp_path / "share"
    for name in (
        "a.pdf",
        "b/c.DOCX",
        "scan.PNG",
        "b/scan2.png",
        "b/scan3.png",
        "b/scan4.png",
        "leesmij",
        "metadata.csv",
        "~$c.docx",
        ".DS_Store",
    ):
        write(folder, name, b"source\na.pdf\n" if name.endswith(".csv") else b"x")
    write(folder, ".git/x.pdf", b"x")
    write(tmp_path, "elders/y.pdf", b"x")
    (folder / "koppeling").symlink_to(tmp_path / "elders")
    found = survey([folder])
    assert [source.name for source in found.files] == ["a.pdf", "b/c.DOCX"]
    assert found.skipped == (
        Skipped(".png", 4, ("b/scan2.png", "b/scan3.png", "b/scan4.png")),
        Skipped("hidden", 1, (".DS_Store",)),
        Skipped("hidden folder", 1, (".git",)),
        Skipped("linked folder", 1, ("koppeling",)),
        Skipped("without an ending", 1, ("leesmij",)),
    )
    assert find_sources([folder]) == list(found.files)


def test_a_folder_that_cannot_be_opened_is_named(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Root may open anything: the system's refusal is put there."""
    import os

    write(tmp_path, "dicht/a.pdf", b"x")
    scandir = os.scandir

    def refuse(path):  # type: ignore[no-untyped-def]
        if str(path).endswith("dicht"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert survey([tmp_path]).skipped == (Skipped("folder that cannot be opened", 1, ("dicht",)),)


def test_the_report_names_what_was_not_read(place: Place) -> None:
    place.write("rooster.png", b"x")
    assert place.ingest().skipped == (Skipped(".png", 1, ("rooster.png",)),)
