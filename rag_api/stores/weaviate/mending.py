"""Chunks that Weaviate holds and its index of vectors does not: found by asking for them, mended by
writing them twice.

The server stores a batch first, words and all, and then gives its vectors to the index; whose
client dies in between, it leaves them out. The chunks are there and counted, words find them, and
no search by vector does. Written again as they are they stay so: the index is left alone where a
vector is the same. So a vector that differs in its last digit is written, which the index takes for
a new one, and then the right one. At no moment is the chunk absent, and what stands in the end is
what an index holds that never lost anything.

A chunk or two of such a batch may be half in the index: found among few, not among many. So all
chunks of the document are written twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.query import Filter

from rag_api.domain import Chunk
from rag_api.stores.mendable import Unfound
from rag_api.stores.weaviate.schema import BATCH, VECTOR, objects_of

log = logging.getLogger(__name__)
# chunks that are asked for at once: where a filter admits less than 40,000, the server goes through
# them one by one
TOGETHER = 1000
ROUNDS = 10  # of looking again
T = TypeVar("T")


class Mending:
    """do: gives the collection; insert: writes objects to it; chunks_of: a document's chunks and
    vectors."""

    def __init__(
        self,
        do: Callable[[Callable[[Any], Any]], Any],
        insert: Callable[[list[Any]], None],
        chunks_of: Callable[[str], tuple[list[Chunk], NDArray[np.float32]]],
        dim: int,
    ) -> None:
        self._do, self._insert, self._chunks_of, self._dim = do, insert, chunks_of, dim

    def document(self, document_id: str) -> None:
        """Each chunk once, and again what comes in meanwhile or is not found yet: the server may
        still be storing what it was given."""
        done: set[str] = set()
        for _ in range(ROUNDS):
            objects = objects_of(*self._chunks_of(document_id))
            missed = self.unfound([one.uuid for one in objects])
            left = [one for one in objects if one.uuid not in done or one.uuid in missed]
            if not left:
                return
            self.index_anew(left)
            done.update(one.uuid for one in left)
        log.error("passages of the document %s are still not found by their vectors", document_id)

    def index_anew(self, objects: Sequence[Any]) -> None:
        log.warning(
            "%d passages in Weaviate, which a write that was cut short may have left unfound, are indexed anew",
            len(objects),
        )
        for part in in_parts(objects, BATCH):
            self._insert(nudged(part))
            self._insert(part)

    def unfound(self, ids: Sequence[str]) -> set[str]:
        missed: set[str] = set()
        for part in in_parts(ids, TOGETHER):
            missed.update(self._do(lambda chunks, part=part: unfound(chunks, part, self._dim)))  # type: ignore[misc]
        return missed


def unfound(chunks: Any, ids: Sequence[str], dim: int) -> list[str]:
    """Return those of the ids that a search by vector does not find though it may list them all,
    whatever it is asked for."""
    asked = {
        "target_vector": VECTOR,
        "limit": len(ids),
        "filters": Filter.by_id().contains_any(list(ids)),
        "return_properties": [],
    }
    found = {str(one.uuid) for one in chunks.query.near_vector([1.0] * dim, **asked).objects}
    return [one for one in ids if one not in found]


def all_unfound(chunks: Any, dim: int, most: int | None) -> Unfound:
    """most: of the collection's chunks are looked for."""
    count, missed = 0, []
    ids = (str(one.uuid) for one in islice(chunks.iterator(return_properties=[], cache_size=TOGETHER), most))
    for page in in_parts(ids, TOGETHER):
        count += len(page)
        if here := unfound(chunks, page, dim):
            there = _there(chunks, here)  # some may have been deleted meanwhile
            missed += unfound(chunks, there, dim) if there else []
    return Unfound(count, tuple(missed))


def nudged(objects: Sequence[Any]) -> list[Any]:
    """Return the objects with vectors that differ in the last digit of their greatest number."""
    return [replace(one, vector={VECTOR: _nudged(one.vector[VECTOR])}) for one in objects]


def in_parts(values: Iterable[T], size: int) -> Iterator[list[T]]:
    left = iter(values)
    while part := list(islice(left, size)):
        yield part


def _there(chunks: Any, ids: Sequence[str]) -> list[str]:
    asked = {"filters": Filter.by_id().contains_any(list(ids)), "limit": len(ids), "return_properties": []}
    return [str(one.uuid) for one in chunks.query.fetch_objects(**asked).objects]


def _nudged(vector: Sequence[float]) -> list[float]:
    near = np.array(vector, np.float32)
    greatest = int(np.abs(near).argmax())
    near[greatest] = np.nextafter(near[greatest], np.float32(0))
    return list(near.tolist())
