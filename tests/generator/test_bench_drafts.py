"""The benches of dense retrieval and of long documents run whole on a small model; nothing is timed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.generator.bench.__main__ import main
from tests.generator.tiny import CORPUS, tiny_checkpoint


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """Arguments: a small model, and questions on an article of its own words."""
    paragraphs = [
        {"context": f"{line} {number}", "qas": [{"id": f"q{number}", "question": "When?"}]} for number, line in enumerate(CORPUS * 2)
    ]
    file = tmp_path / "squad.json"
    file.write_text(json.dumps({"data": [{"title": "Wards", "paragraphs": paragraphs}]}))
    model = str(tiny_checkpoint(tmp_path, "llama", seed=2, max_position_embeddings=2048))
    return ["--data", str(file), "--model", model, "--threads", "1", "--max-tokens", "12"]


def test_both_ways_of_retrieving_drafts_are_told_of_the_same_answers(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options = [*small, "--answers", "6", "--test", "3"]
    assert main(["dense", *options, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["answers"], told["replayed"]) == (6, 3)
    assert set(told["methods"]) == {"rest", "dresd"}
    for own in told["methods"].values():
        assert own["tau"] >= 1
        assert 0 <= own["acceptance"] <= 1
    assert main(["dense", *options]) == 0
    assert "datastores of" in capsys.readouterr().out


def test_long_documents_are_answered_in_every_way(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options = [*small, "--context", "1200", "--limit", "2"]
    assert main(["long", *options, "--json"]) == 0
    told = {each["way"]: each for each in json.loads(capsys.readouterr().out)}
    assert set(told) == {"plain", "copy", "rag", "copy+rag"}
    assert told["plain"]["tau"] == 1
    assert 0 <= told["rag"]["accepted"] <= 1
    assert main(["long", *options]) == 0
    assert "x plain" in capsys.readouterr().out


def test_a_file_that_is_no_questions_is_named(small: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "squad.json").write_text("{}")
    for name in ("dense", "long"):
        assert main([name, *small]) == 2
        assert "not in SQuAD's format" in capsys.readouterr().err
