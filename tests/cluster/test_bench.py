"""What `bedside bench cluster` tells, on the local path and in small; on Ray it runs what test_disturbed.py runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rag_api.bench import cluster
from rag_api.cli.app import app
from tests.support import weaviate_dev


def row(workers: int, documents: int) -> dict[str, Any]:
    return {"workers": workers, "documents": documents, "documents_per_minute": 100, "driver_peak_mb": 200, "object_store_peak_mb": 9}


def test_the_local_path_is_measured_with_what_it_costs(node: list[weaviate_dev.Node]) -> None:
    found = cluster.measure_one(f"{node[0].url}#{node[0].grpc_port}", 3, 0, "none")
    assert (found["workers"], found["documents"], found["chunks"], found["object_store_peak_mb"]) == (0, 3, 12, 0)
    assert found["processor_seconds"] >= 1  # a reader's start alone
    assert found["documents_per_minute"] > 0


def test_each_number_of_files_has_a_row_for_the_local_path_and_for_each_number_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(command: list[str], **_: Any) -> Any:
        said = json.loads(command[-1])
        return type("Done", (), {"returncode": 0, "stdout": json.dumps(row(said["workers"], said["files"]))})

    monkeypatch.setattr("rag_api.bench.cluster.subprocess.run", measured)
    arguments = ["bench", "cluster", "--files", "10", "--files", "100", "--workers", "2", "--plot", str(tmp_path / "plot.svg"), "--json"]
    monkeypatch.setenv("BEDSIDE_WEAVIATE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("BEDSIDE_DATA_DIR", str(tmp_path))
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.stderr
    assert list(json.loads(done.stdout)) == ["local, 10 files", "Ray, 2 workers, 10 files", "local, 100 files", "Ray, 2 workers, 100 files"]
    drawn = (tmp_path / "plot.svg").read_text()
    assert "<svg" in drawn


def test_a_row_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(
        "rag_api.bench.cluster.subprocess.run", lambda *_, **__: type("Done", (), {"returncode": 1, "stderr": "no Weaviate"})
    )
    with pytest.raises(RuntimeError, match="no Weaviate"):
        cluster.measure(settings, [1], [1], "none", lambda _: None)
