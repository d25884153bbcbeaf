"""Whatever dies on the way, the index is that of one undisturbed run on one machine: `pytest
tests/rag_api/ingest/cluster/disturbed.py`.

The long form of test_disturbed.py: more documents and actors, one disturbance after another, and a
run that is stopped besides."""

from __future__ import annotations

from pathlib import Path

from rag_api.db.documents import ask_to_stop
from tests.rag_api.ingest.cluster.conftest import Place
from tests.rag_api.ingest.cluster.scenario import POISON, disturbed

MANY, FEW = 80, 6  # documents of a large folder and of a small one
AWAY = 20.0  # seconds


def test_the_index_is_that_of_an_undisturbed_run(place: Place, tmp_path: Path) -> None:
    with disturbed(place, tmp_path / "documents", MANY, FEW) as run:
        first = place.driver()
        run.write_more(4, first)
        run.kill_worker()
        run.write_more(8, first)
        with run.store_away(AWAY):
            pass
        run.write_more(8, first)
        run.kill(first)
        second = place.driver()
        run.write_more(8, second)
        ask_to_stop(run.repo.db)
        assert second.wait(120) != 0
        assert "The ingestion was stopped" in second.communicate()[1]
        before = run.written()
        last = run.finish()
        run.check()
    assert last[POISON]["reason"] == "broken"
    assert sum(item["outcome"] == "unchanged" for item in last.values()) >= before - 1  # what failed is tried again
