"""A watched folder: what is new, changed and gone is taken in and out while the watch runs."""

from __future__ import annotations

import os
import queue
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from rag_api.errors import InvalidInput
from rag_api.ingest.sources.report import IngestReport
from rag_api.ingest.sources.watch import watch_folders
from tests.rag_api.ingest.test_ingest import BODY, Place, place
from tests.rag_api.made_files.pdfs import procedure

__all__ = ["place"]
PATIENCE = 180.0  # seconds: each file is read in a process of its own, which takes seconds where others compute


def change(place: Place, name: str, content: bytes) -> None:
    """In one step, and to another second than before: a watch tells whole seconds apart."""
    path = place.folder / name
    second = int(path.stat().st_mtime) + 1
    place.write(f"../{name}.new", content)
    beside = place.folder.parent / f"{name}.new"
    os.utime(beside, (second, second))
    beside.replace(path)


@contextmanager
def watched(
    place: Place, again: float = 300.0, meanwhile: Callable[[], object] = lambda: None
) -> Iterator[Callable[[], IngestReport | str]]:
    reports: queue.Queue[IngestReport | str] = queue.Queue()
    stop = threading.Event()

    def ingest(retire: bool) -> IngestReport:
        report = place.ingest(retire_missing=retire)
        meanwhile()
        return report

    arguments = ([place.folder], ingest, reports.put, stop, 50, 50, None, again)
    thread = threading.Thread(target=watch_folders, args=arguments)
    thread.start()
    try:
        yield lambda: reports.get(timeout=PATIENCE)
    finally:
        stop.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def until(next_report: Callable[[], IngestReport | str], right: Callable[[IngestReport], bool]) -> IngestReport:
    """A change may be seen in two halves."""
    while True:
        report = next_report()
        if isinstance(report, IngestReport) and right(report):
            return report


def test_what_is_new_changed_and_gone_is_taken_in_and_out(place: Place) -> None:
    for number in range(12):
        place.write(f"d{number}.pdf", procedure(f"Procedure {number}", [*BODY, f"Nummer {number}."]))
    with watched(place) as next_report:
        assert until(next_report, lambda report: report.indexed == 12)
        place.write("nieuw.pdf", procedure("Nieuw", BODY))
        assert until(next_report, lambda report: report.indexed == 1)
        change(place, "d3.pdf", procedure("Gewijzigd", BODY))
        assert until(next_report, lambda report: report.indexed == 1)
        (place.folder / "d4.pdf").unlink()
        assert until(next_report, lambda report: report.retired == 1)
    assert place.document("d3.pdf").metadata.title == "Gewijzigd"
    assert "d4.pdf" not in place.repo.current()
    place.check()


def test_what_changes_while_the_first_look_is_under_way_is_taken_in(place: Place) -> None:
    """A first look at many documents takes hours, and nothing may change after it."""
    place.write("kalium.pdf", procedure("Kalium", BODY))
    revised = iter([procedure("Kalium, herzien", BODY)])

    def revise() -> None:
        for content in revised:
            change(place, "kalium.pdf", content)

    with watched(place, meanwhile=revise) as next_report:
        assert until(next_report, lambda report: report.indexed == 1)
        assert until(next_report, lambda report: report.indexed == 1)
    assert place.document("kalium.pdf").metadata.title == "Kalium, herzien"
    place.check()


def test_a_file_that_could_not_be_read_is_tried_again_though_nothing_changes(place: Place) -> None:
    content = procedure("Kalium", BODY)
    place.write("kalium.pdf", content)
    with watched(place, again=0.1) as next_report:
        assert until(next_report, lambda report: report.indexed == 1)
        change(place, "kalium.pdf", content[:300])
        assert until(next_report, lambda report: report.kept == 1)
        assert until(next_report, lambda report: report.kept == 1)
        assert place.document("kalium.pdf").status == "indexed"
        change(place, "kalium.pdf", procedure("Kalium, herzien", BODY))
        assert until(next_report, lambda report: report.indexed == 1 and not report.kept)
    place.check()


def test_a_folder_that_is_not_there_cannot_be_watched(place: Place) -> None:
    with pytest.raises(InvalidInput, match="nowhere: there is no such file or folder"):
        watch_folders([place.folder / "nowhere"], lambda retire: place.ingest(), lambda report: None, threading.Event())


def test_a_folder_that_vanishes_while_it_is_watched_empties_nothing(place: Place) -> None:
    for number in range(3):
        place.write(f"map/d{number}.pdf", procedure(f"Procedure {number}", [*BODY, f"Nummer {number}."]))
    with watched(place) as next_report:
        assert until(next_report, lambda report: report.indexed == 3)
        shutil.rmtree(place.folder / "map")
        while not isinstance(said := next_report(), str):
            pass
        assert "Nothing was retired" in said
        assert len(until(next_report, lambda report: True).missing) >= 1
    assert len(place.repo.current()) >= 2
