"""`bedside demo` as a newcomer runs it: embedded PostgreSQL, the whole handbook, the real model.
Nothing is scripted here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.quality.answers import holds
from rag_api import handbook
from rag_api.evaluate.judged import HANDBOOK, read_judged

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

ROOT = Path(__file__).parents[4]


def bedside(data_dir: Path, *arguments: str, model: str = "demo") -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BEDSIDE_")}
    command = [sys.executable, "-m", "rag_api.cli.app", *arguments]
    result = subprocess.run(
        command,
        cwd=ROOT,
        env=environment | {"BEDSIDE_DATA_DIR": str(data_dir), "BEDSIDE_GENERATOR_MODEL": model},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result


def last_line(result: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout.strip().splitlines()[-1])
    return found


def assert_right(found: dict[str, Any]) -> None:
    """The sample question's answer is the one that the handbook's judged set gives."""
    (judged,) = [question for question in read_judged(HANDBOOK) if question.question == found["question"]]
    assert found["status"] == "answered", found["notices"]
    assert found["sources"][0]["document"] == judged.document
    assert holds(found["answer"], judged.span)


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """A newcomer's folder, empty at first. Not pytest's own: a root's PostgreSQL runs as another
    user."""
    with tempfile.TemporaryDirectory(prefix="bedside-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def test_make_demo_answers_rightly_with_the_model_that_it_fetches_and_the_adapter_that_must_agree(
    data_dir: Path,
) -> None:
    installed = [f"--assume-old=.make/{stamp}" for stamp in ("demo", "web")]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("BEDSIDE_", "MAKE", "MFLAGS"))
    }
    result = subprocess.run(
        ["make", *installed, "demo", f"VENV={sys.prefix}", "ARGS=--once --json"],
        cwd=ROOT,
        env=environment | {"BEDSIDE_DATA_DIR": str(data_dir)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    for step in (
        "starting the database",
        "ingesting the sample handbook",
        "loading the language model",
        "answering the sample question",
    ):
        assert f"- {step} ..." in result.stderr
    found = last_line(result)
    assert_right(found)
    # Where packages no longer carry the model, the demo answers with the small one, and nothing has
    # to agree.
    assert ("agreement" in found["stats"]) == ("qwen" in found["model"])


def test_a_second_start_ingests_nothing_and_the_small_model_answers_in_the_document_s_own_words(data_dir: Path) -> None:
    again = bedside(data_dir, "demo", "--once", "--json")
    documents = len(list((Path(handbook.__file__).parent / "pdf").glob("*.pdf")))
    assert f" 0 indexed, {documents} unchanged, 0 failed" in again.stderr
    found = last_line(again)
    assert_right(found)
    assert found["answer"] == "".join(span["text"] for span in found["spans"])
    assert [found["answer"][span["start"] : span["end"]] for span in found["spans"]] == [
        span["text"] for span in found["spans"]
    ]
    assert found["stats"]["tokens_per_step"] > 2

    written = last_line(
        bedside(
            data_dir, "ask", "How often is the cuff pressure of a tracheostomy measured?", "--mode", "answer", "--json"
        )
    )
    assert written["answer"]
    assert all(written["answer"][span["start"] : span["end"]] == span["text"] for span in written["spans"])
    assert not (data_dir / "postgres" / "postmaster.pid").exists()
