"""Processes that read files, kept from one ingestion of a run's tests to the next."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rag_api.ingest.sandbox.pool import ReaderPool

MOST = 3  # pools that wait; each has processes of a hundred megabytes
Key = tuple[Any, ...]


class KeptPools:
    def __init__(self) -> None:
        self._waiting: dict[Key, ReaderPool] = {}

    @contextmanager
    def open(self, count: int, timeout: float, memory_mb: int) -> Iterator[ReaderPool]:
        """Like `ReaderPool`. A process sees the environment in which it started, so that another
        one gets another; after an error none is kept."""
        around = sorted(item for item in os.environ.items() if item[0] != "PYTEST_CURRENT_TEST")
        key = (count, timeout, memory_mb, *around)
        pool = self._waiting.pop(key, None) or ReaderPool(count, timeout, memory_mb)
        try:
            yield pool
        except BaseException:
            pool.__exit__()
            raise
        self._keep(key, pool)

    def _keep(self, key: Key, pool: ReaderPool) -> None:
        """The one that waited longest goes; of two that were open at once, so does the first."""
        if earlier := self._waiting.pop(key, None):
            earlier.__exit__()
        self._waiting[key] = pool
        while len(self._waiting) > MOST:
            self._waiting.pop(next(iter(self._waiting))).__exit__()

    def close(self) -> None:
        while self._waiting:
            self._waiting.popitem()[1].__exit__()


@pytest.fixture(scope="session")
def kept_pools() -> Iterator[KeptPools]:
    pools = KeptPools()
    yield pools
    pools.close()


@pytest.fixture(autouse=True, scope="module")
def readers_are_kept(kept_pools: KeptPools) -> Iterator[None]:
    """A process that reads files takes a second of the processor to start, most files a hundredth
    to be read. In service one reads hundreds of files too."""
    with pytest.MonkeyPatch.context() as patched:
        if engine := sys.modules.get("rag_api.ingest.pipeline.engine"):
            patched.setattr(engine, "ReaderPool", kept_pools.open)
        yield
