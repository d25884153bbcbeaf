"""Readers read ahead of whoever uses what they read, and nothing that takes long holds up the
rest."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from rag_api.ingest.sandbox import pool as pools
from rag_api.ingest.sandbox.pool import ReaderPool
from rag_api.ingest.sandbox.reader_process import ReaderProcess

pytestmark = pytest.mark.quick


@pytest.fixture
def pool() -> Iterator[ReaderPool]:
    with ReaderPool(2, 1.0, 128) as made:
        yield made


def test_results_come_as_they_are_done(pool: ReaderPool) -> None:
    """The first item is done only when all others have been used."""
    rest = threading.Event()
    used = []

    def read(_: ReaderProcess, item: int) -> int:
        if item == 0:
            assert rest.wait(300)
        return item

    for item in pool.map(read, range(100)):
        used.append(item)
        if len(used) == 99:
            rest.set()
    assert used[-1] == 0
    assert sorted(used) == list(range(100))


def test_small_items_are_read_far_ahead_and_heavy_ones_are_not(
    pool: ReaderPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "MOST_AHEAD", 10)
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(1000):
            taken.append(item)
            yield item

    assert next(pool.map(lambda _, item: item, items(), lambda _: 0)) < 32
    assert 32 <= len(taken) <= 34
    taken.clear()
    assert next(pool.map(lambda _, item: item, items(), lambda _: 6)) == 0
    assert len(taken) == 2  # one at work, and one too heavy to be beside it
    taken.clear()
    assert next(pool.map(lambda _, item: item, items(), lambda _: 100)) == 0  # heavier than all that may be ahead


def test_an_error_reaches_who_uses_the_results(pool: ReaderPool) -> None:
    def read(_: ReaderProcess, item: int) -> int:
        raise ValueError(item)

    with pytest.raises(ValueError, match="7"):
        list(pool.map(read, [7]))
