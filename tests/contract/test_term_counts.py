"""Counts of the chunks in which a term stands, by who may read them, and that a writer that was
killed leaves nothing wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rag_api.stores.ranking.bm25 import Statistics
from rag_api.stores.ranking.term_counts import TermCounts, TermRow

ROWS: list[TermRow] = [(["everyone"], "a b b"), (["everyone"], "b c"), (["icu", "surgery"], "a a d"), (["icu"], "d")]


@pytest.fixture
def counts(tmp_path: Path) -> TermCounts:
    made = TermCounts(tmp_path / "terms")
    with made.changing() as change:
        change.more(ROWS)
    return made


def of(counts: TermCounts, *groups: str, hidden: list[TermRow] | None = None) -> tuple[int, int, dict[str, int]]:
    own, _ = counts.statistics(groups, ["a", "b", "c", "d", "z"], hidden or [])
    return own.chunks, own.terms, {term: chunks for term, chunks in own.holding.items() if chunks}


def test_chunks_are_counted_for_each_who_may_read_them(counts: TermCounts) -> None:
    assert of(counts, "everyone") == (2, 5, {"a": 1, "b": 2, "c": 1})
    assert of(counts, "everyone", "surgery") == (3, 8, {"a": 2, "b": 2, "c": 1, "d": 1})
    assert of(counts, "icu", "surgery") == (2, 4, {"a": 1, "d": 2})
    assert of(counts, "nobody") == (0, 0, {})
    assert counts.statistics(["nobody"], ["d"])[1] == Statistics(4, 9, {"d": 2})


def test_what_is_hidden_does_not_count(counts: TermCounts) -> None:
    assert of(counts, "everyone", hidden=[(["everyone"], "b c")]) == (1, 3, {"a": 1, "b": 1})


def test_a_write_that_fails_counts_nothing_and_is_counted_anew(counts: TermCounts, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), counts.changing() as change:
        change.less(1 / 0 for _ in ROWS)  # type: ignore[misc]
    assert of(counts, "everyone") == (2, 5, {"a": 1, "b": 2, "c": 1})
    other = TermCounts(tmp_path / "terms")
    other.bring_up_to_date(lambda: 1, lambda: [(["icu"], "z")], anew=False)
    assert of(counts, "everyone") == (0, 0, {})
    assert of(counts, "icu") == (1, 1, {"z": 1})
    other.bring_up_to_date(lambda: 1, lambda: pytest.fail("it was counted already"), anew=False)


def test_after_a_write_that_failed_half_way_all_is_counted_before_the_next(counts: TermCounts) -> None:
    held = list(ROWS)
    counts.bring_up_to_date(lambda: len(held), lambda: held, anew=False)

    def write(last: int) -> None:
        with counts.changing() as change:
            held.append((["icu"], "z"))
            change.more([(["icu"], "z")] * (1 // last))

    with pytest.raises(ZeroDivisionError):
        write(0)
    assert of(counts, "icu")[0] == 2
    write(1)
    assert of(counts, "icu") == (4, 6, {"a": 1, "d": 2, "z": 2})


def test_an_index_of_other_chunks_than_were_counted_is_counted_anew(counts: TermCounts) -> None:
    counts.bring_up_to_date(lambda: 3, lambda: ROWS[1:], anew=False)
    assert of(counts, "everyone") == (1, 2, {"b": 1, "c": 1})


def test_what_stands_nowhere_any_more_leaves_no_row(counts: TermCounts, tmp_path: Path) -> None:
    with counts.changing() as change:
        change.less(ROWS)
    with closing(sqlite3.connect(tmp_path / "terms" / "terms.sqlite")) as db:
        assert db.execute("select count(*) from holding").fetchone() == (0,)
