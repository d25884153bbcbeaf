"""`index copy`: the index copied into another store, or beside itself for another embedder.
Questions are answered from the old one all the while; documents are neither loaded nor described
meanwhile (ingestion's lock), so that both hold the same when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.db.documents import PgDocuments
from rag_api.db.questions.judged import list_sets, read_set
from rag_api.domain import LOCAL_USER, DocumentStatus, Filters
from rag_api.embed import Embedder, close, open_embedder
from rag_api.errors import Conflict, InvalidInput
from rag_api.ingest.common.chunk import embedding_text
from rag_api.ingest.pipeline.embedding import BATCH
from rag_api.stores import Store, open_store
from rag_api.stores.active_index import put_in_force
from rag_api.stores.copying import (
    ComparisonQuery,
    Copied,
    Tell,
    copy_index,
    ranked_alike,
    sampled_questions,
    verify_copy,
)

SAMPLE = 100  # questions
ALIKE = 0.97  # of them must be ranked alike: beyond a hundred thousand chunks neither index of vectors is exact


@dataclass(frozen=True, slots=True)
class Moved:
    copied: Copied
    compared: int  # chunks that were read anew and are the same
    asked: int  # questions that were asked of both; none where another embedder made the copy
    alike: int  # of them were ranked alike, up to ties


def target_of(
    settings: Settings, store: str, index: str | None, embedder: str | None, embedder_url: str | None = None
) -> Settings:
    """Where the copy goes. Raises InvalidInput when that is where it comes from, or is not
    known."""
    url = embedder_url or (settings.embedder_url if embedder is None else None)
    name = settings.index if index is None else index
    said = {"store": store, "index": name, "embedder": embedder or settings.embedder, "embedder_url": url}
    try:
        target = Settings.model_validate(settings.model_dump() | said)
    except ValueError as error:
        raise InvalidInput(f"the copy cannot be made so: {error}") from None
    if target.store == "memory" or (target.store, target.index) == (settings.store, settings.index):
        raise InvalidInput(
            "the copy would be made into the index that it is made from: name another store with --to, or --index NAME"
        )
    return target


def switch(container: Container, target: Settings) -> int:
    """Put another index in force, for all processes on this data directory; how many documents it
    holds. Raises Conflict when it lacks documents of the list."""
    with PgDocuments(container.db).lock(), ExitStack() as opened:
        embedder = open_embedder(target)
        opened.callback(close, embedder)
        store = opened.enter_context(closing(open_store(target, embedder.name, embedder.dim)))
        there = store.document_ids()
        wanted = {
            one.id for one in PgDocuments(container.db).current().values() if one.status == DocumentStatus.INDEXED
        }
        if lost := wanted - there:
            raise Conflict(f"that index lacks {len(lost)} of {len(wanted)} documents: run `bedside index copy` first")
        put_in_force(target)
        return len(there)


def move(
    container: Container, target: Settings, tell: Tell, *, replace_others: bool = False, then_switch: bool = False
) -> Moved:
    """tell: how many documents are done; once for the copy and once for the comparison.
    then_switch: the copy is in force at once, before anything can change in the index that it was
    made from. Raises InvalidInput, Conflict when the copy differs, Unavailable."""
    source, embedder = container.store, container.embedder
    with ExitStack() as opened, PgDocuments(container.db).lock():
        other = embedder
        if (target.embedder, target.embedder_url) != (container.settings.embedder, container.settings.embedder_url):
            other = open_embedder(target)
            opened.callback(close, other)
        copy = opened.enter_context(closing(open_store(target, other.name, other.dim)))
        anew = (
            None
            if other.name == embedder.name
            else lambda chunks: _embedded(other, [embedding_text(chunk) for chunk in chunks])
        )
        copied = copy_index(source, copy, tell, embed=anew, replace=replace_others)
        compared = verify_copy(source, copy, tell, same_vectors=anew is None)
        alike = ranked_alike(source, copy, comparison_queries(container, source)) if anew is None else []
        if sum(alike) < ALIKE * len(alike):
            raise Conflict(
                f"the copy holds the same, but ranks {len(alike) - alike.count(True)} of {len(alike)} "
                f"questions otherwise"
            )
        if then_switch:
            put_in_force(target)
        return Moved(copied, compared, len(alike), sum(alike))


def comparison_queries(container: Container, store: Store) -> Iterator[ComparisonQuery]:
    """The hospital's own judged questions, and more from what the index holds until there are
    enough."""
    sets = [read_set(container.db, LOCAL_USER, found.name) for found in list_sets(container.db, LOCAL_USER)]
    judged = [question.question for questions in sets for question in questions]
    chosen = judged[:: -(-len(judged) // SAMPLE) or 1]
    groups = Filters(groups=_groups(store))
    yield from (ComparisonQuery(text, container.embedder.query(text), groups) for text in chosen)
    yield from sampled_questions(store, SAMPLE - len(chosen))


def _groups(store: Store) -> tuple[str, ...]:
    """Of a sample of the documents."""
    found = (chunks[0].groups for chunks, _ in map(store.chunks_of, sorted(store.document_ids())[:SAMPLE]))
    return tuple(sorted({group for groups in found for group in groups}))


def _embedded(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    return np.concatenate([embedder.passages(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)])
