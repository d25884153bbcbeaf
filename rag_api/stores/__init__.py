"""Stores of chunks and their vectors, and hybrid search over them. A store knows nothing of files,
answers or HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.domain import Chunk, Contents, Filters, Hit, Metadata
from rag_api.stores.mendable import Mendable, Unfound
from rag_api.stores.ranking.fuse import Fusion

__all__ = ["MOST_AT_ONCE", "Mendable", "Store", "Unfound", "Vectors", "describe", "open_store", "regroup"]


class Store(Protocol):
    """Chunks by id with one vector each. All calls are synchronous and safe from several threads.

    Foreign exceptions leave as StoreUnavailable; an index that another embedder made as
    EmbedderMismatch, with how to re-index.
    """

    def replace_document(self, document_id: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
        """Make these the document's chunks, whatever was there. vectors: [len(chunks), dim], unit
        length. Idempotent; searchable at once when it returns."""

    def replace_documents(self, documents: Sequence[Contents]) -> None:
        """The same of many documents, each once: quicker than one by one. Interrupted, some are
        changed and others not."""

    def chunks_of(self, document_id: str) -> tuple[list[Chunk], NDArray[np.float32]]:
        """A document's chunks in order, and their vectors: [len(chunks), dim]. Empty for an unknown
        id."""

    def delete_documents(self, document_ids: Sequence[str]) -> None:
        """Remove all chunks of these documents; unknown ids are no error."""

    def document_ids(self) -> set[str]:
        """Every document that has at least one chunk here."""

    def count(self) -> int:
        """Number of chunks."""

    def search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        filters: Filters,
        alpha: float,
        fusion: Fusion = "information",
        others: Sequence[str] = (),
    ) -> list[Hit]:
        """The best chunks for a question, best first, ranks from 1.

        The nearest chunks and BM25's best are fetched (at least 100 each) and fused as `alpha *
        dense + (1 - alpha) * bm25`, either scaled as `fusion` says (fuse.py; "relative" is the
        thesis's, section 3.2). Filters apply inside the index, before ranking. others: other words
        for what the question says; BM25 counts them too, for no more than the question's own could
        give.
        """

    def tidy(self) -> None:
        """Bring the indexes up to date now. A matter of speed only; done now and then by itself."""

    def close(self) -> None: ...


Vectors = Literal["kept", "made again", "outdated"]
MOST_AT_ONCE = 1000  # chunks that are embedded while somebody waits: about 48 seconds of one core with e5-small


def describe(
    store: Store,
    document_id: str,
    metadata: Metadata,
    embed: Callable[[Sequence[Chunk]], NDArray[np.float32]],
    most: int | None = None,
) -> Vectors:
    """Change what is said of a document, in all of its chunks. A chunk is embedded with its title,
    so a new one makes the vectors again; of a document with more chunks than `most` (None: as many
    as somebody waits for) they stay outdated until it is ingested again."""
    chunks, vectors = store.chunks_of(document_id)
    said = [replace(one, title=metadata.title, metadata=metadata) for one in chunks]
    state: Vectors = "kept"
    if any(one.title != metadata.title for one in chunks):
        state = "outdated" if len(chunks) > (MOST_AT_ONCE if most is None else most) else "made again"
    if chunks:
        store.replace_document(document_id, said, embed(said) if state == "made again" else vectors)
    return state


def regroup(store: Store, document_id: str, groups: tuple[str, ...]) -> None:
    """Change who may read a document, in all of its chunks."""
    chunks, vectors = store.chunks_of(document_id)
    if chunks:
        store.replace_document(document_id, [replace(chunk, groups=groups) for chunk in chunks], vectors)


def open_store(settings: Settings, embedder_name: str, dim: int) -> Store:
    """The configured store. Raises StoreUnavailable, and EmbedderMismatch when its index was made
    by another embedder."""
    match settings.store:
        case "memory":
            from rag_api.stores.memory import MemoryStore

            return MemoryStore(dim)
        case "lance":
            from rag_api.stores.lance import LanceStore

            return LanceStore(settings.index_dir, embedder_name, dim)
        case "weaviate":
            from rag_api.stores.weaviate import WeaviateStore

            return WeaviateStore(settings, embedder_name, dim)
