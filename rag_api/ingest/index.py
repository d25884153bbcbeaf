"""ingest(): one run over many files, as the list of its steps. Why in this order: see the package's docstring."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rag_api.errors import InvalidInput, UnreadableDocument
from rag_api.ingest.chunk import chunk, embedding_text
from rag_api.ingest.metadata import edited, overridden, title_key
from rag_api.ingest.office import office, to_pdf
from rag_api.ingest.pool import ReaderPool
from rag_api.ingest.read import DOCX, PDF, media_type
from rag_api.ingest.reader import Job, Reader
from rag_api.ingest.repo import DocumentsRepo
from rag_api.ingest.report import IngestReport, Outcome, Progress, ProgressCallback
from rag_api.ingest.sources import KeptFiles, SourceFile, document_id, sha256_of
from rag_api.ingest.titles import Opening, shared_titles, words_of
from rag_api.types import Chunk, Document, DocumentStatus, Edit, Metadata, ReadDocument

if TYPE_CHECKING:  # the reader process imports this package too, and should start fast
    from rag_api.config import Settings
    from rag_api.embed import Embedder
    from rag_api.stores import Store

READER_VERSION = 12  # one more whenever reading, cleaning or chunking gives other text: documents are then indexed again
_BATCH = 32  # chunks embedded together, over documents
_TRANSIENT = ("too_slow", "too_much_memory")  # worth another try in the next run


@dataclass(frozen=True, slots=True)
class _Item:
    """A file that must be read. `known` is its source's current document."""

    source: SourceFile
    sha256: str
    bytes: int
    fingerprint: str
    known: Document | None
    metadata: Metadata | None = None  # instead of what the file says: of a document that is only indexed again


@dataclass(frozen=True, slots=True)
class _Read:
    item: _Item
    document: Document
    text: ReadDocument | None
    error: UnreadableDocument | None


@dataclass(slots=True)
class _Run:
    """What a run works with, and what it has done so far."""

    settings: Settings
    repo: DocumentsRepo
    store: Store
    embedder: Embedder
    files: KeptFiles
    progress: ProgressCallback | None
    total: int
    shared: frozenset[str] = frozenset()  # titles that many documents bear: they name none of them
    edits: Mapping[str, Mapping[str, Edit]] = field(default_factory=dict)  # by source: what admins say over what files say
    pages: int = 0
    chunks: int = 0
    started: float = field(default_factory=time.monotonic)
    outcomes: list[Outcome] = field(default_factory=list)

    def tell(self, source: str) -> None:
        if self.progress is not None:
            seconds = time.monotonic() - self.started
            self.progress(Progress(len(self.outcomes), self.total, self.pages, self.chunks, seconds, source))


def ingest(
    sources: Iterable[SourceFile],
    *,
    settings: Settings,
    documents_repo: DocumentsRepo,
    store: Store,
    embedder: Embedder,
    progress: ProgressCallback | None = None,
    retire_missing: bool = False,
    readers: int | None = None,
) -> IngestReport:
    """Make the index hold what these files hold. A file that cannot be read is reported and stops nothing else.

    retire_missing: current documents that are not among the sources are taken out. readers: how many processes read.
    Raises Unavailable or EmbedderMismatch when a part fails: what was done until then stays, the next run goes on."""
    sources = _distinct(sources)
    with documents_repo.lock():
        run = _Run(settings, documents_repo, store, embedder, KeptFiles(settings.data_dir), progress, len(sources))
        run.files.clear_parts()
        known, run.edits = documents_repo.current(), documents_repo.edits()
        lost = _reconcile(run, known)
        with ReaderPool(readers or _reader_count(), settings.read_timeout, settings.read_memory_mb) as pool:
            changed = list(_changed(run, sources, known, lost))
            run.shared = _shared_titles(run, pool, changed, known)
            for batch in _batches(pool.map(lambda reader, item: _read(run, reader, item), changed)):
                _index(run, batch)
        if retire_missing:
            _retire(run, known, {source.name for source in sources})
        return IngestReport(tuple(run.outcomes), run.pages, run.chunks, time.monotonic() - run.started)


def _distinct(sources: Iterable[SourceFile]) -> list[SourceFile]:
    by_name: dict[str, SourceFile] = {}
    for source in sources:
        if source.name in by_name:
            raise InvalidInput(f"two files are called {source.name}: {by_name[source.name].path} and {source.path}")
        by_name[source.name] = source
    return list(by_name.values())


def _reader_count() -> int:
    return max(1, min(4, (os.cpu_count() or 2) // 2))


def _reconcile(run: _Run, known: dict[str, Document]) -> set[str]:
    """Delete chunks that belong to no current document; the ids of documents whose chunks are gone."""
    wanted = {document.id for document in known.values() if document.status == DocumentStatus.INDEXED}
    present = run.store.document_ids()
    if leftovers := present - wanted:
        run.store.delete_documents(sorted(leftovers))
    return wanted - present


def _changed(run: _Run, sources: Sequence[SourceFile], known: dict[str, Document], lost: set[str]) -> Iterator[_Item]:
    """The files that must be read; the others are reported as they are."""
    names = {source.name for source in sources}
    for document in known.values():
        kept = run.files.path(document.sha256, Path(document.source).suffix)
        if document.id in lost and document.source not in names and kept.is_file():
            run.total += 1
            yield _Item(SourceFile(document.source, kept), document.sha256, document.byte_count, "", document, document.metadata)
    for source in sources:
        current = known.get(source.name)
        try:
            sha256, size = sha256_of(source)
        except UnreadableDocument as error:
            run.outcomes.append(Outcome(source.name, "failed", None, error.reason, error.message))
            run.tell(source.name)
            continue
        print_ = _fingerprint(run.settings, run.embedder, source)
        if current is not None and current.id not in lost and current.sha256 == sha256 and _still_holds(current, print_, run.settings):
            run.outcomes.append(_unchanged(current))
            run.tell(source.name)
        else:
            yield _Item(source, sha256, size, print_, current)


def _shared_titles(run: _Run, pool: ReaderPool, changed: Sequence[_Item], known: Mapping[str, Document]) -> frozenset[str]:
    """By what the PDFs of this run may be called, and documents that stay as they are are called."""
    openings = [opening for opening in pool.map(lambda reader, item: _opening(run, reader, item), changed) if opening is not None]
    wanted = {title_key(title) for opening in openings for title in opening.titles}
    again = {item.source.name for item in changed}
    stay = [document for document in known.values() if document.source not in again and title_key(document.metadata.title) in wanted]
    return shared_titles([*openings, *(_opening_of(run, document) for document in stay)])


def _opening(run: _Run, reader: Reader, item: _Item) -> Opening | None:
    """None of what is no PDF or cannot be read: reading it says why."""
    name, path = item.source.name, item.source.path
    try:
        if item.bytes > run.settings.max_file_mb * (1 << 20) or media_type(path, name) != PDF:
            return None
        return reader.read_opening(Job(path, name, PDF, run.settings.max_pages))
    except UnreadableDocument:
        return None


def _opening_of(run: _Run, document: Document) -> Opening:
    pages = run.repo.pages(document.id)
    return Opening((document.metadata.title,), frozenset(words_of(pages[0].text) if pages else ()))


def _fingerprint(settings: Settings, embedder: Embedder, source: SourceFile) -> str:
    """Of everything but the content that the index of this file follows from."""
    rendered = source.name.casefold().endswith(".docx") and office() is not None
    parts = [READER_VERSION, settings.chunk_size, settings.chunk_overlap, embedder.name, sorted(source.given.items()), rendered]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _limits(settings: Settings) -> str:
    return f" {settings.max_file_mb:g} {settings.max_pages}"


def _still_holds(current: Document, fingerprint: str, settings: Settings) -> bool:
    """Nothing but the content could change what became of it; a failure also depends on the limits."""
    if current.status == DocumentStatus.FAILED:
        return current.fingerprint == fingerprint + _limits(settings) and current.reason not in _TRANSIENT
    return current.fingerprint == fingerprint


def _unchanged(current: Document) -> Outcome:
    if current.status == DocumentStatus.FAILED:
        message = current.warnings[0] if current.warnings else current.reason
        return Outcome(current.source, "failed", current.id, current.reason, message)
    return Outcome(current.source, "unchanged", current.id, warnings=current.warnings)


def _read(run: _Run, reader: Reader, item: _Item) -> _Read:
    """In a reader's thread: keep the file, read it; a DOCX that can be read is rendered and read again, with its places."""
    name, settings = item.source.name, run.settings
    kind = ""
    try:
        if item.bytes > settings.max_file_mb * (1 << 20):
            raise UnreadableDocument("too_large", f"{name}: {item.bytes / (1 << 20):.1f} MB, more than {settings.max_file_mb:g}")
        kind = media_type(item.source.path, name)
        path = run.files.keep(item.source, item.sha256)
        text = reader.read(Job(path, name, kind, settings.max_pages, shared=run.shared))
        shown = run.files.path(item.sha256, ".pdf")
        if kind == DOCX and (shown.is_file() or to_pdf(path, shown, settings.read_timeout)):
            text = reader.read(Job(path, name, kind, settings.max_pages, shown, run.shared))
        metadata, notes = edited(item.metadata or overridden(text.metadata, item.source.given), run.edits.get(name, {}))
        text = replace(text, warnings=(*text.warnings, *notes))
        return _Read(item, _document(item, kind, metadata, text), text, None)
    except UnreadableDocument as error:
        return _Read(item, _failed(item, kind, error, settings), None, error)


def _document(item: _Item, kind: str, metadata: Metadata, text: ReadDocument) -> Document:
    return Document(
        id=document_id(item.source.name, item.sha256),
        source=item.source.name,
        sha256=item.sha256,
        media_type=kind,
        status=DocumentStatus.INDEXED,
        reason="",
        metadata=metadata,
        page_count=len(text.pages),
        chunk_count=0,  # known when it is cut
        byte_count=item.bytes,
        fingerprint=item.fingerprint,
        warnings=text.warnings,
    )


def _failed(item: _Item, kind: str, error: UnreadableDocument, settings: Settings) -> Document:
    return Document(
        id=document_id(item.source.name, item.sha256),
        source=item.source.name,
        sha256=item.sha256,
        media_type=kind or "application/octet-stream",
        status=DocumentStatus.FAILED,
        reason=error.reason,
        metadata=overridden(Metadata(title=Path(item.source.name).stem), item.source.given),
        page_count=0,
        chunk_count=0,
        byte_count=item.bytes,
        fingerprint=item.fingerprint + _limits(settings),
        warnings=(error.message,),
    )


_Cut = tuple[_Read, list[Chunk]]


def _batches(read: Iterable[_Read]) -> Iterator[list[_Read]]:
    """Documents together until they hold a batch of chunks (about 600 characters each), failures as they come."""
    batch: list[_Read] = []
    length = 0
    for one in read:
        batch.append(one)
        length += len(one.text.text) if one.text is not None else 0
        if length >= _BATCH * 600 or one.text is None:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _index(run: _Run, batch: Sequence[_Read]) -> None:
    """Chunk and embed a batch, then put document after document into the store and the list."""
    cut = [(one, _cut(run.settings, one)) for one in batch]
    run.pages += sum(one.document.page_count for one in batch)
    vectors = _embed(run, [embedding_text(c) for _, chunks in cut for c in chunks], batch[0].item.source.name)
    at = 0
    for one, chunks in cut:
        if one.error is not None:
            _save_failed(run, one, one.error)
        else:
            _save_indexed(run, one, chunks, vectors[at : at + len(chunks)])
        at += len(chunks)
        run.tell(one.item.source.name)


def _cut(settings: Settings, one: _Read) -> list[Chunk]:
    if one.text is None:
        return []
    document = one.document
    return chunk(document.id, document.metadata, one.text.pages, settings.chunk_size, settings.chunk_overlap, document.owner_group)


def _embed(run: _Run, texts: Sequence[str], source: str) -> NDArray[np.float32]:
    """[len(texts), dim], telling how far it is."""
    parts = []
    for start in range(0, len(texts), _BATCH):
        parts.append(run.embedder.passages(texts[start : start + _BATCH]))
        run.chunks += len(parts[-1])
        run.tell(source)
    return np.concatenate(parts) if parts else np.zeros((0, run.embedder.dim), np.float32)


def _save_indexed(run: _Run, one: _Read, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> None:
    assert one.text is not None
    run.store.replace_document(one.document.id, chunks, vectors)
    run.repo.save_indexed(replace(one.document, chunk_count=len(chunks)), one.text.pages, one.text.cut)
    _drop_replaced(run, one)
    run.outcomes.append(Outcome(one.item.source.name, "indexed", one.document.id, warnings=one.text.warnings, cut=len(one.text.cut)))


def _save_failed(run: _Run, one: _Read, error: UnreadableDocument) -> None:
    """What the source held before is no longer what it holds: it is not answered from any more."""
    run.repo.save_failed(one.document)
    run.store.delete_documents([one.document.id])
    _drop_replaced(run, one)
    run.outcomes.append(Outcome(one.item.source.name, "failed", one.document.id, error.reason, error.message))


def _drop_replaced(run: _Run, one: _Read) -> None:
    known = one.item.known
    if known is not None and known.id != one.document.id:
        run.store.delete_documents([known.id])


def _retire(run: _Run, known: dict[str, Document], names: set[str]) -> None:
    gone = [document for source, document in known.items() if source not in names]
    if gone:
        run.repo.retire([document.source for document in gone])
        run.store.delete_documents([document.id for document in gone])
        run.outcomes.extend(Outcome(document.source, "retired", document.id) for document in gone)
