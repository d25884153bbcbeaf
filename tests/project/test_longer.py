"""`make quick` names the tests that use the processor for long."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.longer import Longer

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(("limit", "named"), [(-1.0, True), (600.0, False)])
def test_a_test_over_the_limit_is_named_at_the_end(limit: float, named: bool) -> None:
    plugin, said = Longer(limit), list[str]()
    item: Any = SimpleNamespace(nodeid="tests/test_it.py::test_it")
    assert list(plugin.pytest_runtest_call(item)) == [None]
    plugin.pytest_terminal_summary(SimpleNamespace(write_line=said.append))
    assert [line.split(" ")[0] for line in said] == ([item.nodeid] if named else [])
