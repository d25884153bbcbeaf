"""`bedside bench cluster`, on the local path and in small; on Ray it runs what test_disturbed.py
runs."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from evaluation.documents import cluster, cluster_driver
from rag_api.cli.app import app
from rag_api.domain import Progress
from rag_api.ingest.cluster import engine
from tests.support import weaviate_dev


def row(workers: int, documents: int) -> dict[str, Any]:
    on_the_way = {"5": {"driver_mb": 190, "object_store_mb": 8}}
    return {
        "workers": workers,
        "documents": documents,
        "documents_per_minute": 100,
        "driver_peak_mb": 200,
        "object_store_peak_mb": 9,
        "on_the_way": on_the_way,
    }


def test_the_local_path_is_measured_with_what_it_costs(node: list[weaviate_dev.Node]) -> None:
    found = cluster.measure_one(f"{node[0].url}#{node[0].grpc_port}", 3, 0, "none", lines=24)
    assert (found["workers"], found["documents"], found["chunks"], found["object_store_peak_mb"]) == (0, 3, 12, 0)
    assert found["processor_seconds"] >= 1  # a reader's start alone
    assert found["documents_per_minute"] > 0


def test_memory_is_told_on_the_way_too(capsys: pytest.CaptureFixture[str]) -> None:
    watched = cluster.WatchedMemory(others_now_mb=7, stored_now_mb=3)
    for done in (499, 1000, 1000, 2000):
        watched.passed(Progress(done, 5000, 0, 0, done / 10, "a"))
    assert {done: row["seconds"] for done, row in watched.on_the_way.items()} == {1000: 100, 2000: 200}
    assert watched.on_the_way[1000]["driver_mb"] > 0
    assert (watched.on_the_way[2000]["others_mb"], watched.on_the_way[2000]["object_store_mb"]) == (7, 3)
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_each_number_of_files_has_a_row_for_the_local_path_and_for_each_number_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(command: list[str], **_: Any) -> Any:
        said = json.loads(command[-1])
        return type("Done", (), {"returncode": 0, "stdout": json.dumps(row(said["workers"], said["files"]))})

    # The module's own, and nobody else's: what draws the plot may run programs too.
    monkeypatch.setattr("evaluation.documents.cluster.subprocess", SimpleNamespace(run=measured))
    arguments = [
        "bench",
        "cluster",
        "--files",
        "10",
        "--files",
        "100",
        "--workers",
        "2",
        "--plot",
        str(tmp_path / "plot.svg"),
        "--json",
    ]
    monkeypatch.setenv("BEDSIDE_WEAVIATE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("BEDSIDE_DATA_DIR", str(tmp_path))
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.stderr
    assert list(json.loads(done.stdout)) == [
        "local, 10 files",
        "Ray, 2 workers, 10 files",
        "local, 100 files",
        "Ray, 2 workers, 100 files",
    ]
    drawn = (tmp_path / "plot.svg").read_text()
    assert "<svg" in drawn


def test_a_row_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(
        "evaluation.documents.cluster.subprocess.run",
        lambda *_, **__: type("Done", (), {"returncode": 1, "stderr": "no Weaviate"}),
    )
    with pytest.raises(RuntimeError, match="no Weaviate"):
        cluster.measure(settings, [1], [1], "none", lambda _: None)


class Rows:
    """Ray's tables, here."""

    def __init__(self, tables: list[Any]) -> None:
        self.tables = tables

    def map_batches(self, step: Any, fn_constructor_args: tuple[Any, ...] = (), **_: Any) -> Rows:
        act = step(*fn_constructor_args) if isinstance(step, type) else step
        return Rows([act(table) for table in self.tables])

    def iter_batches(self, **_: Any) -> Any:
        return iter(self.tables)


def test_the_driver_is_measured_with_steps_that_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """And gives Ray so many files at once, and no more: their digests to take, then the files."""
    at_once: list[int] = []

    def rows(tables: list[Any]) -> Rows:
        at_once.append(sum(table.num_rows for table in tables))
        return Rows(tables)

    data = SimpleNamespace(from_arrow=rows, ActorPoolStrategy=lambda **_: None)
    ray = SimpleNamespace(data=data, cluster_resources=lambda: {"CPU": 1}, exceptions=SimpleNamespace(RayError=OSError))
    monkeypatch.setattr(cluster_driver, "small_cluster", lambda _: nullcontext(SimpleNamespace(address="")))
    monkeypatch.setattr(cluster_driver, "joined", lambda _: nullcontext(ray))
    monkeypatch.setattr(cluster, "MARK", 50)
    monkeypatch.setattr(engine, "WINDOW", 60)
    found = cluster_driver.measure(130)
    assert at_once == [60, 60, 10] * 2
    assert (found["files"], list(found["on_the_way"])) == (130, [50, 100])
    assert found["driver_peak_mb"] >= found["on_the_way"][50]["driver_mb"] > 0
