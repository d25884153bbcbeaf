"""The cost table: interpolated, kept in a file, and never in the way when the machine is busy."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from services.generator.models.llama import LlamaTarget
from services.generator.models.loading import load_target
from services.generator.models.machine import least_seconds
from services.generator.planner import costs
from services.generator.planner.costs import Costs, measure, rising, step_costs
from tests.services.generator.tiny import tiny_checkpoint

pytestmark = pytest.mark.quick

TABLE = Costs((1, 8, 16), (256, 2048), ((1.0, 2.0, 4.0), (2.0, 4.0, 8.0)))


@pytest.fixture
def target(tmp_path: Path) -> LlamaTarget:
    return load_target(str(tiny_checkpoint(tmp_path, "llama", seed=7)), dtype="fp32", threads=1)


@pytest.mark.parametrize(
    ("nodes", "context", "seconds"),
    [(1, 256, 1.0), (8, 2048, 4.0), (12, 256, 3.0), (8, 1152, 3.0), (32, 256, 8.0), (1, 3840, 3.0)],
)
def test_costs_between_and_beyond_measurements_lie_on_lines(nodes: int, context: int, seconds: float) -> None:
    assert TABLE.verify(nodes, context) == pytest.approx(seconds)


def test_a_table_is_measured_once_per_machine_and_model(
    target: LlamaTarget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = step_costs(target, tmp_path)
    assert first.nodes == costs.NODES
    assert all(second > 0 for row in first.seconds for second in row)
    monkeypatch.setattr(costs, "measure", lambda _: pytest.fail("measured again"))
    assert step_costs(target, tmp_path) == first


def test_a_busy_machine_gets_a_smaller_table(target: LlamaTarget) -> None:
    assert measure(target, allowed=0.0).nodes == (1, 2)


def test_what_a_busy_moment_took_is_no_cost_of_fewer_nodes() -> None:
    assert rising([7.2, 6.2, 7.6, 9.0, 8.6]) == (6.2, 6.2, 7.6, 8.6, 8.6)


def test_measuring_stops_when_its_time_is_up() -> None:
    runs: list[int] = []
    least_seconds(lambda: runs.append(1), 50, torch.device("cpu"), until=0.0)
    assert len(runs) == 1
