"""Documents that were read -> chunks and vectors in the store, rows in the list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag_api.domain import Indexed
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.chunk import embedding_text
from rag_api.ingest.pipeline.embedding import BATCH, embed_texts
from rag_api.ingest.pipeline.letterheads import retitle_earlier, settle_titles
from rag_api.ingest.pipeline.stale_versions import keep_version, may_pass
from rag_api.ingest.sources.report import Outcome
from rag_api.ingest.sources.run import ReadItem, Run
from rag_api.ingest.sources.sources import UPLOADED, SourceFile, groups_said


def batches(read: Iterable[ReadItem]) -> Iterator[list[ReadItem]]:
    """Documents together until they hold a batch of chunks, failures as they come."""
    batch: list[ReadItem] = []
    count = 0
    for one in read:
        batch.append(one)
        count += len(one.chunks)
        if count >= BATCH or one.text is None:
            yield batch
            batch, count = [], 0
    if batch:
        yield batch


def index_batch(run: Run, batch: Sequence[ReadItem]) -> None:
    """Title and embed a batch, then put its documents into the store and then into the list,
    together: each costs much by itself."""
    run.pages += sum(one.document.page_count for one in batch)
    batch, letterheads = settle_titles(run, batch)
    vectors = embed_texts(run, [embedding_text(c) for one in batch for c in one.chunks], batch[0].item.source.name)
    save_batch(run, batch, vectors)
    for one in batch:
        run.tell(one.item.source.name, "saved")
    if letterheads:
        retitle_earlier(run, letterheads)


def save_batch(run: Run, batch: Sequence[ReadItem], vectors: NDArray[np.float32]) -> None:
    """Into the store, then into the list; what could not be read into the list alone. May be
    repeated: ids follow from the content."""
    _save_indexed(run, [one for one in batch if one.error is None], vectors)
    for one in batch:
        if one.error is not None and may_pass(one, one.error):
            keep_version(run, one, one.error)
        elif one.error is not None:
            _save_failed(run, one, one.error)


def _save_indexed(run: Run, batch: Sequence[ReadItem], vectors: NDArray[np.float32]) -> None:
    if not batch:
        return
    put_upload_groups(run, [one.item.source for one in batch])
    ends = np.cumsum([len(one.chunks) for one in batch])[:-1]
    own = np.split(vectors, ends)
    run.store.replace_documents([(one.document.id, one.chunks, rows) for one, rows in zip(batch, own, strict=True)])
    run.repo.save_indexed([_indexed(one) for one in batch])
    _drop_replaced(run, batch)
    for one in batch:
        run.done(_outcome(one))


def _indexed(one: ReadItem) -> Indexed:
    assert one.text is not None
    document = replace(one.document, chunk_count=len(one.chunks))
    return Indexed(document, one.text.pages, one.text.cut, one.text.uncertain, one.text.blocks, one.titles)


def _outcome(one: ReadItem) -> Outcome:
    assert one.text is not None
    return Outcome(
        one.item.source.name,
        "indexed",
        one.document.id,
        warnings=one.text.warnings,
        cut=len(one.text.cut),
        from_images=sum(page.text_from == "ocr" for page in one.text.pages),
        uncertain=len(one.text.uncertain),
    )


def _save_failed(run: Run, one: ReadItem, error: UnreadableDocument) -> None:
    """What the source held before is no longer what it holds: it is not answered from any more."""
    if one.item.source.name not in {name for key, name in run.ids.items() if key != one.document.id}:
        put_upload_groups(run, [one.item.source])  # there is no version that it would open or close
    run.repo.save_failed(one.document)
    run.store.delete_documents([one.document.id])
    _drop_replaced(run, [one])
    run.done(Outcome(one.item.source.name, "failed", one.document.id, error.reason, error.message))


def put_upload_groups(run: Run, sources: Sequence[SourceFile]) -> None:
    """What an upload says of who may read it counts once it was read: one that fails says nothing
    of the version before."""
    if said := groups_said(source for source in sources if source.folder == UPLOADED):
        run.repo.put_source_groups(said)


def _drop_replaced(run: Run, batch: Sequence[ReadItem]) -> None:
    known = [(one.item.known, one.document.id) for one in batch]
    run.store.delete_documents([before.id for before, now in known if before is not None and before.id != now])
