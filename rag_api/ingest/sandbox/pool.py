"""Several reader processes, reading ahead of whoever uses what they read."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from rag_api.ingest.sandbox.reader_process import ReaderProcess

T = TypeVar("T")
R = TypeVar("R")
_END = object()
_AHEAD = 16  # items a reader: enough for a batch of passages, however small the files
MOST_AHEAD = 64 << 20  # bytes of files


class ReaderPool:
    """`with ReaderPool(2, timeout, memory_mb) as pool: for result in pool.map(read, items): ...`"""

    def __init__(self, count: int, timeout: float, memory_mb: int) -> None:
        self._readers = [ReaderProcess(timeout, memory_mb) for _ in range(count)]
        self._free: queue.SimpleQueue[ReaderProcess] = queue.SimpleQueue()
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

    def map(
        self, read: Callable[[ReaderProcess, T], R], items: Iterable[T], weigh: Callable[[T], int] = lambda _: 0
    ) -> Iterator[R]:
        """Results as they come: what takes long holds up nothing else. Read ahead as far as
        `_AHEAD` items a reader, and together no more than `MOST_AHEAD` of what `weigh` says (one
        heavier item alone), so that little waits in memory."""
        waiting: dict[Future[R], int] = {}
        left = iter(items)
        upcoming = next(left, _END)
        while waiting or upcoming is not _END:
            while upcoming is not _END and self._room(waiting, weight := weigh(upcoming)):  # type: ignore[arg-type]
                waiting[self._threads.submit(self._one, read, upcoming)] = weight  # type: ignore[arg-type]
                upcoming = next(left, _END)
            wait(waiting, return_when=FIRST_COMPLETED)
            first = next(future for future in waiting if future.done())  # of several the one that was asked for first
            del waiting[first]
            yield first.result()

    def _room(self, waiting: Mapping[Future[R], int], weight: int) -> bool:
        return not waiting or (
            len(waiting) < _AHEAD * len(self._readers) and sum(waiting.values()) + weight <= MOST_AHEAD
        )

    def _one(self, read: Callable[[ReaderProcess, T], R], item: T) -> R:
        reader = self._free.get()
        try:
            return read(reader, item)
        finally:
            self._free.put(reader)
