"""The kernels bench takes turns, compares within a round, and says what an engine's process did
wrong."""

from __future__ import annotations

import csv
import io
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from services.generator.bench.steps import kernels
from services.generator.bench.steps.kernels import DENSE, LLAMA, OURS, Peer, Step, measure, ratios, table
from services.generator.errors import ModelError
from tests.services.generator.tiny import tiny_checkpoint

STEPS = [Step(4, 16, True), Step(30, 0, False)]


class Timed(Peer):
    """An engine that takes `times` as long as the machine makes every engine take in a round."""

    def __init__(self, times: float, load_seconds: float, asked: list[float]) -> None:
        self.times, self.load_seconds, self.asked = times, load_seconds, asked

    def run(self, step: Step) -> dict[str, Any]:
        self.asked.append(self.times)
        busy = 1 + len(self.asked) // (3 * len(STEPS))  # slower from round to round
        return {"seconds": self.times * busy, "processor": self.times, "resident_bytes": int(1000 * self.times)}


def test_engines_take_turns_and_are_compared_within_a_round() -> None:
    asked: list[float] = []
    peers = {OURS: Timed(1, 2, asked), DENSE: Timed(4, 1, asked), LLAMA: Timed(2, 8, asked)}
    found = measure(dict(peers), STEPS, rounds=3)
    assert asked == [1, 4, 2] * (len(STEPS) * 4)
    assert all(len(seconds) == 3 for engine in found.values() for seconds in engine.seconds.values())
    compared = ratios(found)
    assert set(compared) == {DENSE, LLAMA, f"{DENSE}, processor", f"{LLAMA}, processor"}
    assert compared[f"{LLAMA}, processor"][STEPS[1].name] == 2
    assert compared[LLAMA]["memory"] == 2
    assert compared[LLAMA]["loading"] == 4
    assert compared[DENSE][STEPS[0].name] == pytest.approx(4, rel=0.4)
    rows = list(csv.DictReader(io.StringIO(table({"a model": found}))))
    assert [row["step"] for row in rows] == [*(step.name for step in STEPS), "memory", "loading"]
    assert (rows[2]["model"], rows[2][OURS], rows[2][LLAMA]) == ("a model", "0 MB", "2.00")


def test_one_of_our_engines_answers_a_step_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny_checkpoint(tmp_path, "qwen2", seed=3)
    jobs = [{"tokens": step.tokens, "context": step.context, "all": step.all} for step in STEPS]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(map(json.dumps, jobs))))
    kernels.work(str(folder), DENSE, 1, 64)
    loaded, *answers = map(json.loads, capsys.readouterr().out.splitlines())
    assert loaded["load_seconds"] > 0
    assert len(answers) == 2
    assert all(answer["seconds"] > 0 and answer["resident_bytes"] > 1 << 20 for answer in answers)


def test_a_process_that_ends_is_an_error_in_words() -> None:
    with ExitStack() as stack, pytest.raises(ModelError, match="process ended with 3"):
        Peer(stack, [sys.executable, "-c", "raise SystemExit(3)"])


def test_a_folder_has_no_types_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert kernels.main(["--model", str(tmp_path)]) == 2
    assert "no GGUF file" in capsys.readouterr().err
