"""On a cluster of two nodes a machine dies, the store is away, the driver dies, and one document is
broken: the index is that of one clean run on one machine. With one actor of each kind and a store
that is away for a short while."""

from __future__ import annotations

from pathlib import Path

from tests.rag_api.ingest.cluster.conftest import Place
from tests.rag_api.ingest.cluster.scenario import POISON, disturbed

MANY, FEW = 24, 3  # documents of a large folder and of a small one
AWAY = 10.0  # seconds


def test_the_index_is_that_of_an_undisturbed_run(place: Place, tmp_path: Path) -> None:
    place.workers = 1
    with disturbed(place, tmp_path / "documents", MANY, FEW) as run:
        first = place.driver()
        run.write_more(4, first)
        with run.store_away(AWAY):  # what was on the node that is lost starts on the other one meanwhile
            run.kill_worker()
        run.write_more(4, first)
        run.kill(first)
        before = run.written()
        last = run.finish()
        run.check()
    assert last[POISON]["reason"] == "broken"
    assert sum(item["outcome"] == "unchanged" for item in last.values()) >= before - 1  # what failed is tried again
