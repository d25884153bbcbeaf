"""The serve bench: it counts what a real service streams; nothing is timed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from services.generator.bench.__main__ import main
from services.generator.bench.decoding import serve
from services.generator.bench.decoding.serve import NoService, ServedAnswer, summed
from services.generator.models.decoder.adapters import Adapter
from tests.services.generator.server.test_app import running


def squad_file(folder: Path) -> Path:
    texts = [f"Wash your hands. The dose is {n} mg per kg. Remove the catheter." for n in range(4)]
    paragraphs = [{"context": text, "qas": [{"id": f"q{n}", "question": "Dose?"}]} for n, text in enumerate(texts)]
    (folder / "squad.json").write_text(json.dumps({"data": [{"title": "A", "paragraphs": paragraphs}]}))
    return folder / "squad.json"


def test_streams_of_a_running_service_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "--data",
        str(squad_file(tmp_path)),
        "--streams",
        "1",
        "3",
        "--answers",
        "3",
        "--max-tokens",
        "6",
        "--json",
    ]
    with running() as url:
        assert main(["serve", "--url", url, *asked]) == 0
    levels = json.loads(capsys.readouterr().out)["levels"]
    assert [(one["streams"], one["answers"], one["refused"]) for one in levels] == [(1, 3, 0), (3, 3, 0)]
    assert all(one["tokens_per_second"] > 0 and one["first_token_p95"] >= one["first_token_p50"] > 0 for one in levels)


def test_with_a_reader_each_question_is_read_before_it_is_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--data", str(squad_file(tmp_path)), "--answers", "3", "--max-tokens", "6", "--reader", "reading"]
    with running(adapters={"reading": Adapter("reading", (), {})}) as url:
        assert main(["serve", "--url", url, *asked, "--streams", "1", "3", "--json"]) == 0
        levels = json.loads(capsys.readouterr().out)["levels"]
        assert main(["serve", "--url", url, *asked, "--streams", "2"]) == 0
        head, row = capsys.readouterr().out.splitlines()
        assert tuple(head.split()) == serve.HEADS
        assert len(row.split()) == len(serve.HEADS)
        assert main(["serve", "--url", url, *asked[:-1], "nobody", "--streams", "1"]) == 2
        assert "no adapter 'nobody'" in capsys.readouterr().err
    for one in levels:
        assert one["answers"] == 3
        assert one["whole_p50"] >= one["first_token_p50"] > one["reading_p50"] > 0


def test_what_a_full_queue_refused_is_counted_apart(tmp_path: Path) -> None:
    answers = [ServedAnswer(0.2, 1.2, 11, 0), ServedAnswer(0.4, 1.4, 11, 0), ServedAnswer(0.0, 0.1, 0, 0, status=429)]
    level = summed(3, answers, seconds=2.0)
    assert (level.answers, level.refused, level.tokens_per_second) == (2, 1, 11.0)
    assert level.per_token_p50 == pytest.approx(0.1)
    assert level.first_token_p50 == pytest.approx(0.3)


def test_a_service_that_refuses_everything_is_an_error() -> None:
    with pytest.raises(NoService, match="status 503"):
        summed(1, [ServedAnswer(0.0, 0.1, 0, 0, status=503)], 1.0)


def test_a_service_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve.main(["--url", "http://127.0.0.1:9", "--data", str(squad_file(tmp_path))]) == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "said"), [("--model=nowhere", "not ready: .*nowhere"), ("--no-such-option", "ended with 2")]
)
def test_a_service_that_does_not_start_is_not_waited_for(
    tmp_path: Path, option: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serve, "START_SECONDS", float("inf"))
    assert serve.main(["--data", str(squad_file(tmp_path)), "--", option]) == 2
    words = capfd.readouterr().err
    assert re.search(said, words.splitlines()[-1])
    assert option.removeprefix("--model=") in words
