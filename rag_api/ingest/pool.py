"""Several reader processes, reading ahead of whoever uses what they read."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from rag_api.ingest.reader import Reader

T = TypeVar("T")
R = TypeVar("R")


class ReaderPool:
    """`with ReaderPool(2, timeout, memory_mb) as pool: for result in pool.map(read, items): ...`"""

    def __init__(self, count: int, timeout: float, memory_mb: int) -> None:
        self._readers = [Reader(timeout, memory_mb) for _ in range(count)]
        self._free: queue.SimpleQueue[Reader] = queue.SimpleQueue()
        for reader in self._readers:
            self._free.put(reader)
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="read")

    def __enter__(self) -> ReaderPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for reader in self._readers:
            reader.close()  # a thread that waits for it gets an error that nobody reads
        self._threads.shutdown(wait=True)
        for reader in self._readers:
            reader.close()  # a thread may have started another process meanwhile

    def map(self, read: Callable[[Reader, T], R], items: Iterable[T]) -> Iterator[R]:
        """Results in order; at most a few items ahead, so that little waits in memory."""
        waiting: deque[Future[R]] = deque()
        for item in items:
            waiting.append(self._threads.submit(self._one, read, item))
            if len(waiting) > 2 * len(self._readers):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _one(self, read: Callable[[Reader, T], R], item: T) -> R:
        reader = self._free.get()
        try:
            return read(reader, item)
        finally:
            self._free.put(reader)
