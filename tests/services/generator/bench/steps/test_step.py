"""The step bench measures what it says, on shapes that take milliseconds."""

from __future__ import annotations

import json

import pytest

from services.generator.bench.__main__ import main
from services.generator.bench.steps import step

SHAPE = {
    "hidden": 32,
    "layers": 5,
    "heads": 4,
    "kv-heads": 2,
    "intermediate": 64,
    "vocab": 400,
    "threads": 1,
    "dtype": "fp32",
    "device": "cpu",
}
TINY = [part for name, value in SHAPE.items() for part in (f"--{name}", str(value))]


def test_every_time_of_a_shape_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["step", *TINY, "--nodes", "1", "8", "--context", "32", "128", "--repeats", "3", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [(entry["nodes"], entry["context"]) for entry in printed["verify"]] == [(1, 32), (8, 32), (1, 128), (8, 128)]
    assert all(entry["milliseconds"] > 0 for entry in printed["verify"])
    assert printed["prefill_tokens_per_second"] > 0
    assert printed["draft_level_milliseconds"] is not None
    assert printed["host_milliseconds"] > 0
    assert printed["threads"] == 1


def test_the_table_has_a_line_per_number_of_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    assert step.main([*TINY, "--nodes", "1", "4", "--context", "16", "--repeats", "2"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:4]] == ["1", "4"]


def test_weights_read_are_those_of_the_shape() -> None:
    target = step.random_target(
        {"hidden": 32, "layers": 2, "heads": 4, "kv_heads": 2, "intermediate": 64, "vocab": 400},
        device="cpu",
        dtype="fp32",
        positions=64,
    )
    per_layer = 32 * (32 + 32 + 32) + 2 * 32 * 64 + 64 * 32
    assert sum(linear.weight_bytes for linear in target.linears()) == 4 * (2 * per_layer + 32 * 400)


def test_an_unknown_measurement_is_refused_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed"]) == 2
    assert "replay" in capsys.readouterr().err


def test_a_missing_model_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["step", "--model", "/nowhere"]) == 2
    assert "/nowhere" in capsys.readouterr().err
