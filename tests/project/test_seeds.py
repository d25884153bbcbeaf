"""A run's draws can be repeated."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import hypothesis.core
import pytest

from tests import conftest

pytestmark = pytest.mark.quick


def test_everything_is_drawn_from_the_seed_that_the_header_names(seed: int, request: pytest.FixtureRequest) -> None:
    assert str(seed) in conftest.pytest_report_header(request.config)
    assert hypothesis.core.global_force_seed == seed
    assert random.random() == random.Random(seed).random()


class Terminal:
    def __init__(self, **stats: list[Any]) -> None:
        self.stats, self.lines = stats, list[str]()

    def write_line(self, line: str, **markup: bool) -> None:
        self.lines.append(line)


def test_after_a_failure_the_seed_is_said_once_more(request: pytest.FixtureRequest) -> None:
    failed, fine = Terminal(failed=[SimpleNamespace()]), Terminal(passed=[SimpleNamespace()])
    for terminal in (failed, fine):
        conftest.pytest_terminal_summary(terminal, request.config)
    assert failed.lines == [conftest.pytest_report_header(request.config)]
    assert fine.lines == []
