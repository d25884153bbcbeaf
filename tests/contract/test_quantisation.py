"""`bedside bench quantisation`, in small, on a real Weaviate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluation.retrieval import quantisation
from evaluation.retrieval.corpus import Corpus
from evaluation.retrieval.search import DIM, own_store
from rag_api.cli.app import app
from rag_api.config import Settings
from rag_api.errors import InvalidInput
from rag_api.stores.weaviate import WeaviateStore
from tests.contract.conftest import weaviate_settings
from tests.weaviate_server import Server


@pytest.fixture
def few(weaviate_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Few questions, and the server's settings."""
    for name, count in (("WARMING", 2), ("QUESTIONS", 3), ("ASKED", 4)):
        monkeypatch.setattr(quantisation, name, count)
    return weaviate_settings(weaviate_server, "Unused", tmp_path)


def test_every_kind_is_measured_while_it_grows_and_product_quantisation_when_it_is_full(few: Settings) -> None:
    told: list[int] = []
    rows = list(quantisation.measure(few, [200, 400], pid=os.getpid(), tell=told.append))
    assert [(row.chunks, row.quantisation, row.written) for row in rows] == [
        (200, "none", 200),
        (400, "none", 200),
        (400, "product", 0),
        (200, "rotational", 200),
        (400, "rotational", 200),
    ]
    assert told == [200, 400, 200, 400]
    assert all(row.recall_10 == 1.0 and 0 < row.p50_ms <= row.p95_ms and row.server_mb > 0 for row in rows)
    assert all(0.5 < row.recall_10_server <= 1.0 for row in rows)
    assert {row.vectors for row in rows} == {"clustered"}


def test_what_a_run_left_is_gone_on_with_by_the_next_and_is_not_left_otherwise(few: Settings) -> None:
    def grown(sizes: list[int], keep: bool) -> list[int]:
        return [row.written for row in quantisation.measure(few, sizes, ["rotational"], clustered=False, keep=keep)]

    assert grown([100], keep=True) == [100]
    assert grown([100, 300], keep=True) == [0, 200]
    with pytest.raises(InvalidInput, match="more than 200 chunks already"):
        grown([200], keep=False)
    assert grown([100], keep=False) == [100]


def test_what_an_interrupted_run_left_out_is_written(few: Settings, tmp_path: Path) -> None:
    corpus = Corpus(DIM, lengths=quantisation.WORDS)
    first, second, third = (document.id for document in corpus.documents(300))
    with own_store(few, tmp_path, "generated", DIM, "BenchGaps") as store:
        assert isinstance(store, WeaviateStore)
        quantisation.write_documents(store, corpus.documents(300, left_out={second}), 0, lambda _: None)
        assert quantisation.fill(store, corpus, 300, quantisation.WeaviateProcess(), lambda _: None).written == 100
        assert store.document_ids() == {first, second, third}
        store.connection.do(lambda client: client.collections.get("BenchGaps").data.delete_by_id(f"{first[:-1]}2"))
        assert quantisation.fill(store, corpus, 300, quantisation.WeaviateProcess(), lambda _: None).written == 300
        assert store.count() == 300


def test_the_command_prints_a_line_for_each_row_or_a_table(
    few: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BEDSIDE_WEAVIATE_URL", str(few.weaviate_url))
    monkeypatch.setenv("BEDSIDE_DATA_DIR", str(tmp_path))
    arguments = ["bench", "quantisation", "--chunks", "200", "--chunks", "100", "--kind", "rotational", "--random"]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.stderr
    assert [json.loads(line)["chunks"] for line in done.stdout.splitlines()] == [100, 200]
    assert json.loads(done.stdout.splitlines()[0])["vectors"] == "random"
    row = next(quantisation.measure(few, [100], ["rotational"]))
    monkeypatch.setattr(quantisation, "measure", lambda *_, **__: iter([row]))
    table = CliRunner().invoke(app, arguments).stderr
    assert "100 rotational" in table
    assert "recall_10_server" in table


@pytest.mark.parametrize(
    ("sizes", "kinds", "said"), [([150], ["none"], "multiples of 100"), ([100], ["binary"], "'binary'")]
)
def test_what_cannot_be_measured_is_said(sizes: list[int], kinds: list[str], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        next(quantisation.measure(Settings(), sizes, kinds))


def test_a_server_of_this_machine_tells_its_disk_and_another_one_nothing(tmp_path: Path) -> None:
    (tmp_path / "benchnone").mkdir()
    (tmp_path / "benchnone" / "file").write_bytes(bytes(3 << 20))
    command = [sys.executable, "-c", "print(1, flush=True); input()"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PERSISTENCE_DATA_PATH": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        server = quantisation.WeaviateProcess(process.pid)
        assert (server.disk_mb("BenchNone"), server.memory_mb() > 0) == (3, True)
        assert server.processor_seconds() > 0
        process.communicate(b"\n")
    away = quantisation.WeaviateProcess()
    assert (away.disk_mb("BenchNone"), away.memory_mb(), away.processor_seconds()) == (0, 0, 0.0)
