"""The most telling cells of the fault matrix; all of it: `python -m tests.faults`, whose table is
in docs/reliability.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.answering import Answered
from tests.faults.ingesting import Ingested
from tests.faults.matrix import Cell, all_cells, run, wrong_answered, wrong_ingested
from tests.faults.table import table
from tests.support import weaviate_dev

CELLS = ("postgres:kill:ingestion", "store:stop:answering", "embedder:stop:answering")


def test_services_that_stop_or_die_at_work_lose_nothing_and_leave_nobody_waiting(tmp_path: Path) -> None:
    cells = [cell for cell in all_cells() if any(cell.fits(pattern) for pattern in CELLS)]
    try:
        # it was 20 to 120 s; the machine may be busy with other tests
        found = run(tmp_path, cells, slack=25.0, felt=30.0)
    except weaviate_dev.NotToBeHad as reason:
        pytest.skip(f"no real Weaviate: {reason}")
    assert len(found) == len(CELLS)
    assert [cell.wrong for cell in found] == [()] * len(CELLS), table(found)
    felt = {cell.service: cell.figures["outcomes"] for cell in found if cell.fault == "stop"}
    assert felt["store"]["failed store_unavailable"] > 0  # else nothing was tried
    assert felt["embedder"]["failed embedder_unavailable"] > 0


def test_a_cell_that_lost_something_says_so() -> None:
    whole = Ingested(24, 24, 0, 0, 0, False, "", 9.0)
    lost = Ingested(24, 20, 0, 1, 2, True, "Traceback (most recent call last)", 9.0)
    assert (wrong_ingested(whole), len(wrong_ingested(lost))) == ([], 3)
    well = Answered(10, 10, {"answered": 10}, {}, 4.0, 1.0, 0, 0, 0, 0, 0, 1.0)
    badly = Answered(10, 5, {"answered": 5}, {"stream_broken": 5}, 20.0, 20.0, 0, 0, 0, 1, 1, 60.0)
    cell = Cell("store", "stop", "answering", {"asked": 10, "lost": 1}, ("1 answers lost",))
    assert (wrong_answered(well, cell), len(wrong_answered(badly, cell))) == ([], 6)
    assert cell.fits("store:*:answering")
    assert not cell.fits("store:*:ingestion")
    assert "1 answers lost" in table([cell])
