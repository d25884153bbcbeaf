"""Documents that were read -> chunks and vectors in the store, rows in the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Chunk
from rag_api.errors import UnreadableDocument
from rag_api.ingest.chunk import embedding_text
from rag_api.ingest.report import Outcome
from rag_api.ingest.run import ReadItem, Run

_BATCH = 32  # chunks embedded together, over documents


def batches(read: Iterable[ReadItem]) -> Iterator[list[ReadItem]]:
    """Documents together until they hold a batch of chunks, failures as they come."""
    batch: list[ReadItem] = []
    count = 0
    for one in read:
        batch.append(one)
        count += len(one.chunks)
        if count >= _BATCH or one.text is None:
            yield batch
            batch, count = [], 0
    if batch:
        yield batch


def index_batch(run: Run, batch: Sequence[ReadItem]) -> None:
    """Embed a batch, then put document after document into the store and the list."""
    run.pages += sum(one.document.page_count for one in batch)
    vectors = _embed(run, [embedding_text(c) for one in batch for c in one.chunks], batch[0].item.source.name)
    at = 0
    for one in batch:
        if one.error is not None:
            _save_failed(run, one, one.error)
        else:
            _save_indexed(run, one, one.chunks, vectors[at : at + len(one.chunks)])
        at += len(one.chunks)
        run.tell(one.item.source.name)


def _embed(run: Run, texts: Sequence[str], source: str) -> NDArray[np.float32]:
    """[len(texts), dim], telling how far it is."""
    parts = []
    for start in range(0, len(texts), _BATCH):
        parts.append(run.embedder.passages(texts[start : start + _BATCH]))
        run.chunks += len(parts[-1])
        run.tell(source)
    return np.concatenate(parts) if parts else np.zeros((0, run.embedder.dim), np.float32)


def _save_indexed(run: Run, one: ReadItem, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
    assert one.text is not None
    run.store.replace_document(one.document.id, chunks, vectors)
    run.repo.save_indexed(replace(one.document, chunk_count=len(chunks)), one.text.pages, one.text.cut, one.text.uncertain, one.text.blocks)
    _drop_replaced(run, one)
    run.done(
        Outcome(
            one.item.source.name,
            "indexed",
            one.document.id,
            warnings=one.text.warnings,
            cut=len(one.text.cut),
            from_images=sum(page.text_from == "ocr" for page in one.text.pages),
            uncertain=len(one.text.uncertain),
        )
    )


def _save_failed(run: Run, one: ReadItem, error: UnreadableDocument) -> None:
    """What the source held before is no longer what it holds: it is not answered from any more."""
    run.repo.save_failed(one.document)
    run.store.delete_documents([one.document.id])
    _drop_replaced(run, one)
    run.done(Outcome(one.item.source.name, "failed", one.document.id, error.reason, error.message))


def _drop_replaced(run: Run, one: ReadItem) -> None:
    known = one.item.known
    if known is not None and known.id != one.document.id:
        run.store.delete_documents([known.id])
