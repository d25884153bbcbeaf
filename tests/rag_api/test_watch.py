"""A watched folder: what is new, changed and gone is taken in and out while the watch runs."""

from __future__ import annotations

import queue
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rag_api.ingest import IngestReport
from rag_api.ingest.watch import watch_folders
from tests.rag_api.pdfs import procedure
from tests.rag_api.test_ingest import BODY, Place, place

__all__ = ["place"]


@contextmanager
def watched(place: Place, again: float = 300.0) -> Iterator[Callable[[], IngestReport | str]]:
    told: queue.Queue[IngestReport | str] = queue.Queue()
    stop = threading.Event()
    arguments = ([place.folder], lambda retire: place.ingest(retire_missing=retire), told.put, stop, 50, 50, None, again)
    thread = threading.Thread(target=watch_folders, args=arguments)
    thread.start()
    try:
        yield lambda: told.get(timeout=30)
    finally:
        stop.set()
        thread.join(30)
        assert not thread.is_alive()


def until(told: Callable[[], IngestReport | str], right: Callable[[IngestReport], bool]) -> IngestReport:
    """A change may be seen in two halves."""
    while True:
        report = told()
        if isinstance(report, IngestReport) and right(report):
            return report


def test_what_is_new_changed_and_gone_is_taken_in_and_out(place: Place) -> None:
    for number in range(12):
        place.write(f"d{number}.pdf", procedure(f"Procedure {number}", [*BODY, f"Nummer {number}."]))
    with watched(place) as told:
        assert until(told, lambda report: report.indexed == 12)
        place.write("nieuw.pdf", procedure("Nieuw", BODY))
        assert until(told, lambda report: report.indexed == 1)
        place.write("d3.pdf", procedure("Gewijzigd", BODY))
        assert until(told, lambda report: report.indexed == 1)
        (place.folder / "d4.pdf").unlink()
        assert until(told, lambda report: report.retired == 1)
    assert place.document("d3.pdf").metadata.title == "Gewijzigd"
    assert "d4.pdf" not in place.repo.current()
    place.check()


def test_a_file_that_could_not_be_read_is_tried_again_though_nothing_changes(place: Place) -> None:
    content = procedure("Kalium", BODY)
    place.write("kalium.pdf", content)
    with watched(place, again=0.1) as told:
        assert until(told, lambda report: report.indexed == 1)
        place.write("kalium.pdf", content[:300])
        assert until(told, lambda report: report.kept == 1)
        assert until(told, lambda report: report.kept == 1)
        assert place.document("kalium.pdf").status == "indexed"
        place.write("kalium.pdf", procedure("Kalium, herzien", BODY))
        assert until(told, lambda report: report.indexed == 1 and not report.kept)
    place.check()


def test_a_folder_that_vanishes_while_it_is_watched_empties_nothing(place: Place) -> None:
    for number in range(3):
        place.write(f"map/d{number}.pdf", procedure(f"Procedure {number}", [*BODY, f"Nummer {number}."]))
    with watched(place) as told:
        assert until(told, lambda report: report.indexed == 3)
        shutil.rmtree(place.folder / "map")
        while not isinstance(said := told(), str):
            pass
        assert "Nothing was retired" in said
        assert len(until(told, lambda report: True).missing) >= 1
    assert len(place.repo.current()) >= 2
