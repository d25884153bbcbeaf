"""Writes to a collection of which every chunk stands on several nodes: on all of them, and never
longer than one of them is silent.

The server waits for a silent node up to half a minute, for every shard anew, and whoever asks
cannot shorten it: a write on all replicas waits for its promise, and a deletion by a filter first
asks as many replicas as it is to be deleted on, the silent one perhaps among them, what they have.
So a write that takes long has all nodes asked whether they live. Once one does not say so, writes
are given to most replicas (the server sends them to every one and waits for most), what is to be
deleted is looked up where we ask, and is deleted by its ids, which asks no replica anything; until
it is tried again on all. Each of these calls asks the leader of the servers' own election for the
collection's properties, without any bound; where the silent node is the leader, the call stays
stuck after another one was elected, and only a further call, which asks the new one, gets through
and sets the first free. So what takes long is begun again beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import httpx
from weaviate.classes.config import ConsistencyLevel
from weaviate.classes.query import Filter
from weaviate.exceptions import WeaviateBaseError

from rag_api.errors import StoreUnavailable
from rag_api.liveness_timeout import QUIET, begun_again, while_alive

TRIES_ON_ALL = 2  # replicas; then on most of them
LONGEST_ON_ALL = 10.0  # seconds, where not every node is known to us
# seconds; then 4, 8, 16, ...: a new leader is elected in some seconds, and a busy server is not to
# be given much more to do
AGAIN = 2.0
DOUBT = 30.0  # seconds until a write is tried on all again
REFUSED = (WeaviateBaseError, StoreUnavailable)
SILENT = (httpx.HTTPError, OSError)
T = TypeVar("T")


class Replicas:
    """alive: raises httpx.HTTPError where a node does not say that it lives."""

    def __init__(
        self, replicated: bool, alive: Callable[[], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._replicated, self._alive, self._clock = replicated, alive, clock
        self._doubted_at = -DOUBT

    @property
    def doubted(self) -> bool:
        """Whether a node was silent a short while ago."""
        return self._clock() - self._doubted_at < DOUBT

    def write(self, chunks: Any, act: Callable[[Any], T], otherwise: Callable[[Any], T] | None = None) -> T:
        """On every replica, for a search asks one of them; where one is away, on most: it gets the
        rest when it is back. otherwise: what is done then instead. May be repeated, and may come
        through later."""
        if self._replicated and not self.doubted:
            for attempt in range(TRIES_ON_ALL):
                try:
                    return self._heard(lambda: act(chunks.with_consistency_level(ConsistencyLevel.ALL)))
                except SILENT:
                    break
                except REFUSED:
                    time.sleep(0.2 * (attempt + 1))  # a node may be busy, or have just heard of the collection
            self._doubted_at = self._clock()
        return self._begun_again(lambda: (otherwise or act)(chunks))

    def ids(self, chunks: Any, where: Any) -> list[str]:
        """Of the chunks that a filter admits, at most 10,000: as most replicas have it, or the node
        that is asked."""

        def found(chunks: Any) -> list[str]:
            return [str(one.uuid) for one in chunks.data.delete_many(where=where, dry_run=True, verbose=True).objects]

        if self._replicated and not self.doubted:
            try:
                return self._heard(lambda: found(chunks))
            except SILENT:
                self._doubted_at = self._clock()
        return self._begun_again(
            lambda: found(chunks.with_consistency_level(ConsistencyLevel.ONE) if self._replicated else chunks)
        )

    def delete(self, chunks: Any, ids: Sequence[str]) -> None:
        def together(chunks: Any) -> None:
            if (failed := chunks.data.delete_many(where=Filter.by_id().contains_any(list(ids))).failed) > 0:
                raise StoreUnavailable(f"Weaviate could not delete {failed} of {len(ids)} chunks")

        def each(chunks: Any) -> None:
            for one in ids:
                chunks.data.delete_by_id(one)

        self.write(chunks, together, each if self._replicated else None)

    def _heard(self, act: Callable[[], T]) -> T:
        return while_alive(act, self._alive, QUIET, LONGEST_ON_ALL)

    def _begun_again(self, act: Callable[[], T]) -> T:
        return begun_again(act, AGAIN) if self._replicated else act()
