"""An index copied into another store: chunks with their vectors as they are, or embedded anew for
an index of another embedder.

May be interrupted and begun again: documents that the target holds already, as they should be, are
passed over. What is said of the copy is found by reading both anew. Nothing here knows the
documents list: whoever calls keeps documents from changing meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Chunk, Contents, Filters, Hit
from rag_api.errors import Conflict, InvalidInput
from rag_api.stores import Store

TOGETHER = 1000  # chunks that are written at once, about
NEAR = 1e-5  # a vector's numbers may differ by so much: Weaviate makes vectors of unit length once more
TIED = 0.01  # scores nearer than this are a tie: LanceDB rounds the lengths of chunks
Embed = Callable[[Sequence[Chunk]], NDArray[np.float32]]
Tell = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Copied:
    documents: int
    chunks: int
    before: int  # of these documents were there already
    removed: int  # documents that the target held and the source does not


@dataclass(frozen=True, slots=True)
class ComparisonQuery:
    """A question for comparing two stores: its words, its vector, and who asks."""

    text: str
    vector: NDArray[np.float32]
    filters: Filters


def copy_index(
    source: Store, target: Store, tell: Tell, *, embed: Embed | None = None, replace: bool = False
) -> Copied:
    """Make the target hold what the source holds. embed: vectors of another embedder, the target's.
    tell: how many documents are done.

    Raises InvalidInput when the target holds documents that the source does not, unless they are to
    be replaced."""
    wanted, there = source.document_ids(), target.document_ids()
    surplus = sorted(there - wanted)
    if surplus and not replace:
        raise InvalidInput(
            f"the index to copy into holds {len(surplus)} documents that this one does not: with --replace they go"
        )
    target.delete_documents(surplus)
    done = before = chunks = 0
    for batch in _batches(source, sorted(wanted)):
        new = [
            contents for contents in batch if contents[0] not in there or not _holds(target, contents, embed is None)
        ]
        target.replace_documents([(identity, own, embed(own) if embed else vectors) for identity, own, vectors in new])
        done, before, chunks = (
            done + len(batch),
            before + len(batch) - len(new),
            chunks + sum(len(own) for _, own, _ in batch),
        )
        tell(done)
    target.tidy()
    return Copied(done, chunks, before, len(surplus))


def verify_copy(source: Store, target: Store, tell: Tell, *, same_vectors: bool = True) -> int:
    """The chunks that both hold, read anew and compared. Raises Conflict with the first
    difference."""
    ids, copied = source.document_ids(), target.document_ids()
    if ids != copied:
        raise Conflict(
            f"the copy differs: {len(ids - copied)} documents are missing and {len(copied - ids)} too many. Copy again."
        )
    compared = 0
    for done, identity in enumerate(sorted(ids), 1):
        chunks, vectors = source.chunks_of(identity)
        if not _holds(target, (identity, chunks, vectors), same_vectors):
            raise Conflict(f"the copy differs: the document {identity} has other chunks there. Copy again.")
        compared += len(chunks)
        tell(done)
    if not compared == source.count() == target.count():
        raise Conflict(
            f"the copy differs: {source.count()} chunks became {target.count()}, of which {compared} are "
            f"the same. Copy again."
        )
    return compared


def ranked_alike(source: Store, target: Store, questions: Iterable[ComparisonQuery]) -> list[bool]:
    """Whether both find the same for each question, up to ties."""

    def hits(store: Store, asked: ComparisonQuery) -> list[Hit]:
        return store.search(asked.text, asked.vector, 10, asked.filters, 0.5)

    return [same_ranking(hits(source, asked), hits(target, asked)) for asked in questions]


def same_ranking(expected: Sequence[Hit], found: Sequence[Hit]) -> bool:
    """The same scores in the same places, and each chunk where its score puts it; of equal ones any
    may come first, or fall out last."""
    if len(expected) != len(found):
        return False
    scores, least = {hit.chunk.id: hit.score for hit in expected}, expected[-1].score if expected else 0.0
    return all(
        abs(one.score - other.score) <= TIED and abs(other.score - scores.get(other.chunk.id, least)) <= TIED
        for one, other in zip(expected, found, strict=True)
    )


def sampled_questions(store: Store, count: int) -> Iterator[ComparisonQuery]:
    """Make questions of what the index itself holds: a chunk's first words, asked by who may read
    it. One of a document, spread evenly."""
    ids = sorted(store.document_ids())
    for identity in ids[:: max(1, len(ids) // count)][:count]:
        chunks, vectors = store.chunks_of(identity)
        middle = len(chunks) // 2
        words = chunks[middle].text.split()[:10]
        yield ComparisonQuery(" ".join(words), vectors[middle], Filters(groups=chunks[middle].groups))


def _batches(source: Store, ids: Sequence[str]) -> Iterator[list[Contents]]:
    batch: list[Contents] = []
    for identity in ids:
        batch.append((identity, *source.chunks_of(identity)))
        if sum(len(chunks) for _, chunks, _ in batch) >= TOGETHER:
            yield batch
            batch = []
    if batch:
        yield batch


def _holds(target: Store, contents: Contents, same_vectors: bool) -> bool:
    identity, chunks, vectors = contents
    there, their_vectors = target.chunks_of(identity)
    if {chunk.id: chunk for chunk in there} != {chunk.id: chunk for chunk in chunks} or len(there) != len(chunks):
        return False
    if not same_vectors:
        return True
    theirs = {chunk.id: vector for chunk, vector in zip(there, their_vectors, strict=True)}
    return all(np.allclose(theirs[chunk.id], vector, atol=NEAR) for chunk, vector in zip(chunks, vectors, strict=True))
