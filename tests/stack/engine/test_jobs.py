"""Work side by side: in order, several at once, and its first failure is heard."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from tests.stack.engine.jobs import side_by_side

pytestmark = pytest.mark.quick


def test_each_comes_after_what_it_waits_for() -> None:
    done: list[str] = []
    works = {name: partial(done.append, name) for name in ("page", "base", "other")}
    side_by_side(works, {"page": ["base"], "base": [], "other": ["page", "not one of these"]}, at_once=3)
    assert done == ["base", "page", "other"]


def test_what_waits_for_nothing_runs_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=300)

    def meets() -> None:
        both.wait()

    side_by_side({"one": meets, "two": meets}, {}, at_once=2)


def test_a_failure_is_raised_and_what_waits_for_it_is_not_done() -> None:
    done: list[str] = []

    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        side_by_side({"base": fails, "page": lambda: done.append("page")}, {"page": ["base"]}, at_once=2)
    assert done == []


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        side_by_side({"one": lambda: None, "two": lambda: None}, {"one": ["two"], "two": ["one"]}, at_once=2)
