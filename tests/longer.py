"""Tests of `make quick` that use the processor for long: named at the end of a run, so that they
are marked `longer`."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

import pytest

LIMIT = 2.0  # seconds of the processor: how busy the machine is counts little


class Longer:
    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        self.found: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        began = process_time()
        yield
        if process_time() - began > self.limit:
            self.found.append(item.nodeid)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for name in self.found:
            terminalreporter.write_line(f"{name} took over {self.limit:.0f} seconds of the processor: mark it longer")
