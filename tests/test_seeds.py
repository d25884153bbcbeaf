"""A run's draws can be repeated, and what it could not test is said."""

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


def test_what_lacks_its_data_and_the_seed_of_a_failure_are_said(request: pytest.FixtureRequest) -> None:
    lacking = [SimpleNamespace(longrepr=("test_x.py", 1, "Skipped: no sample files in /somewhere/shared/data"))] * 3
    skipped, failed, fine = Terminal(skipped=lacking), Terminal(failed=[SimpleNamespace()]), Terminal()
    for terminal in (skipped, failed, fine):
        conftest.pytest_terminal_summary(terminal, request.config)
    assert [line.split(" need")[0] for line in skipped.lines] == ["NOT TESTED: 3 tests"]
    assert failed.lines == [conftest.pytest_report_header(request.config)]
    assert fine.lines == []
