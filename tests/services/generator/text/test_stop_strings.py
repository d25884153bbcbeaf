"""Stop strings, whatever the pieces in which the text arrives."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generator.text.stop_strings import StopStrings

pytestmark = pytest.mark.quick

FEW = st.text("ab", max_size=30)  # two letters: overlaps of every kind


def feed_all(strings: list[str], pieces: list[str]) -> tuple[str, int | None, int]:
    """The text until a stop was complete, where it begins, and what is held."""
    stop, text = StopStrings(strings), ""
    for piece in pieces:
        text += piece
        if (at := stop.feed(piece)) is not None:
            return text, at, 0
    return text, None, stop.held


@given(strings=st.lists(st.text("ab", min_size=1, max_size=6), max_size=3), pieces=st.lists(FEW, max_size=8))
def test_the_first_stop_string_of_the_text_is_found_and_no_other_text_is(strings: list[str], pieces: list[str]) -> None:
    text, at, held = feed_all(strings, pieces)
    places = [text.index(s) for s in strings if s in text]
    assert at == min(places, default=None)
    if at is None:
        begun = (n for s in strings for n in range(len(s)) if text.endswith(s[:n]))
        assert held == max(begun, default=0)


def test_a_long_stop_string_costs_no_more_per_character_than_a_short_one() -> None:
    """Counted in lines run, not seconds: the answer's characters decide, not the string's
    length."""
    assert lines_run("a" * 100_000) <= lines_run("a" * 10 + "b") + 100


def lines_run(string: str) -> int:
    stop, count = StopStrings([string]), 0

    def tracer(frame: object, event: str, arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        for _ in range(500):
            stop.feed("a")
    finally:
        sys.settrace(before)
    return count
