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

from rag_api.domain import Chunk, Document, DocumentStatus, Edit, Metadata, ReadDocument
from rag_api.errors import InvalidInput, UnreadableDocument
from rag_api.ingest.chunk import chunk, embedding_text
from rag_api.ingest.kinds import media_type, wants_office
from rag_api.ingest.metadata import GROUPS, describe, edited, groups_in, overridden, title_key
from rag_api.ingest.missing import missing_of, refuse_many, renamed_of
from rag_api.ingest.office import office
from rag_api.ingest.pool import ReaderPool
from rag_api.ingest.read import PDF
from rag_api.ingest.reader import Job, Reader
from rag_api.ingest.rendering import read_rendered
from rag_api.ingest.repo import DocumentsRepo
from rag_api.ingest.report import IngestReport, Missing, Outcome, Progress, ProgressCallback
from rag_api.ingest.sources import UPLOADED, KeptFiles, SourceFile, Survey, document_id, sha256_of
from rag_api.ingest.titles import Opening, shared_titles, words_of
from rag_api.ingest.uploads import clear_uploads

if TYPE_CHECKING:  # the reader process imports this package too, and should start fast
    from rag_api.config import Settings
    from rag_api.embed import Embedder
    from rag_api.stores import Store

READER_VERSION = 14  # one more whenever reading, cleaning or chunking gives other text: documents are then indexed again
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
    id: str  # that its document has or will have
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
    placed: Mapping[str, str] = field(default_factory=dict)  # by source: the folder it was last ingested from
    renamed: dict[str, str] = field(default_factory=dict)  # new name -> the name before
    retitled: set[str] = field(default_factory=set)  # renamed ones whose title was their name
    digests: dict[str, tuple[str, int]] = field(default_factory=dict)  # by source, of files looked at already
    pages: int = 0
    chunks: int = 0
    started: float = field(default_factory=time.monotonic)
    outcomes: list[Outcome] = field(default_factory=list)

    def tell(self, source: str) -> None:
        if self.progress is not None:
            seconds = time.monotonic() - self.started
            self.progress(Progress(len(self.outcomes), self.total, self.pages, self.chunks, seconds, source))

    def digest(self, source: SourceFile) -> tuple[str, int]:
        """(sha256, bytes), read once. Raises UnreadableDocument."""
        if source.name not in self.digests:
            self.digests[source.name] = sha256_of(source)
        return self.digests[source.name]

    def done(self, outcome: Outcome) -> None:
        self.outcomes.append(replace(outcome, renamed_from=self.renamed.get(outcome.source, "")))


def ingest(
    sources: Survey | Iterable[SourceFile],
    *,
    settings: Settings,
    documents_repo: DocumentsRepo,
    store: Store,
    embedder: Embedder,
    progress: ProgressCallback | None = None,
    retire_missing: bool = False,
    confirmed: bool = False,
    readers: int | None = None,
) -> IngestReport:
    """Make the index hold what these files hold. A file that cannot be read is reported and stops nothing else.

    retire_missing: documents of the surveyed folders that are no longer there are taken out; `confirmed`: however many they are. readers:
    how many processes read. Raises TooManyMissing before anything is done; Unavailable or EmbedderMismatch when a part fails: what was
    done until then stays, the next run goes on."""
    survey = sources if isinstance(sources, Survey) else Survey(tuple(sources))
    sources = _distinct(survey.files)
    from rag_api.stores import regroup

    def reach_index(document_id: str, groups: tuple[str, ...]) -> None:
        regroup(store, document_id, groups)

    with documents_repo.lock():
        run = _Run(settings, documents_repo, store, embedder, KeptFiles(settings.data_dir), progress, len(sources))
        run.files.clear_parts()
        clear_uploads(settings.data_dir)
        missing = _missing(run, survey, retire_missing and not confirmed)
        documents_repo.put_source_groups({s.name: groups_in(s.given[GROUPS]) for s in sources if GROUPS in s.given})
        documents_repo.catch_up(reach_index)
        known, run.edits = documents_repo.current(), documents_repo.edits()
        lost = _reconcile(run, known)
        with ReaderPool(readers or _reader_count(), settings.read_timeout, settings.read_memory_mb) as pool:
            changed = list(_changed(run, sources, known, lost))
            run.shared = _shared_titles(run, pool, changed, known)
            for batch in _batches(pool.map(lambda reader, item: _read(run, reader, item), changed)):
                _index(run, batch)
        documents_repo.put_folders({source.name: source.folder for source in sources if source.folder})
        if retire_missing:
            _retire(run, missing)
        documents_repo.catch_up(reach_index)
        named = () if retire_missing else tuple(Missing(d.source, d.id, d.metadata.title) for d in missing)
        return IngestReport(tuple(run.outcomes), run.pages, run.chunks, time.monotonic() - run.started, survey.skipped, named)


def _missing(run: _Run, survey: Survey, careful: bool) -> list[Document]:
    """Give moved files' documents their new names; the documents that are missing then."""
    known, run.placed = run.repo.current(), run.repo.folders()
    missing = missing_of(known, run.placed, survey)
    run.renamed = renamed_of(known, run.placed, survey, missing, lambda source: _digest_or_nothing(run, source))
    left = [document for document in missing if document.source not in run.renamed.values()]
    if careful:
        refuse_many(left, known, run.placed, survey)
    for new, old in run.renamed.items():
        titles = title_from_name(old), title_from_name(new)
        run.repo.rename(old, new, titles)
        if known[old].metadata.title == titles[0] != titles[1]:
            run.retitled.add(new)
    return left


def title_from_name(source: str) -> str:
    """What a document is called that says nothing of itself."""
    return describe(source, {}, (), (), "").title


def _digest_or_nothing(run: _Run, source: SourceFile) -> str:
    try:
        return run.digest(source)[0]
    except UnreadableDocument:
        return ""  # which is said when its turn comes


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
            source = SourceFile(document.source, kept)
            yield _Item(source, document.sha256, document.byte_count, "", document, document.id, document.metadata)
    for source in sources:
        current = known.get(source.name)
        try:
            sha256, size = run.digest(source)
        except UnreadableDocument as error:
            run.done(Outcome(source.name, "failed", None, error.reason, error.message))
            run.tell(source.name)
            continue
        print_ = _fingerprint(run.settings, run.embedder, source)
        same = current is not None and current.sha256 == sha256
        if current is not None and same and _still_holds(current, print_, run.settings) and current.id not in {*lost, *_ids(run, known)}:
            run.done(_unchanged(current))
            run.tell(source.name)
        else:
            yield _Item(source, sha256, size, print_, current, current.id if current is not None and same else _new_id(run, source, sha256))


def _ids(run: _Run, known: Mapping[str, Document]) -> set[str]:
    return {known[source].id for source in run.retitled}


def _new_id(run: _Run, source: SourceFile, sha256: str) -> str:
    """The same file has the same id everywhere, unless a document that was renamed has it already."""
    name = source.name
    while run.repo.source_of(found := document_id(name, sha256)) not in (None, source.name):
        name += "\0"
    return found


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
    rendered = wants_office(source.name) and office() is not None
    parts = [
        READER_VERSION,
        settings.chunk_size,
        settings.chunk_overlap,
        embedder.name,
        sorted((name, text) for name, text in source.given.items() if name != GROUPS),
        rendered,
    ]
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
        text = read_rendered(reader, Job(path, name, kind, settings.max_pages, shared=run.shared), run.files.path(item.sha256, ".pdf"))
        metadata, notes = edited(item.metadata or overridden(text.metadata, item.source.given), run.edits.get(name, {}))
        text = replace(text, warnings=(*text.warnings, *notes))
        text = replace(text, warnings=(*text.warnings, *_other_folder(run, item)))
        groups = run.repo.groups_of(name, metadata.department)
        return _Read(item, replace(_document(item, kind, metadata, text), groups=groups), text, None)
    except UnreadableDocument as error:
        return _Read(item, _failed(item, kind, error, settings), None, error)


def _other_folder(run: _Run, item: _Item) -> tuple[str, ...]:
    """A warning when two folders hold different files of one name: they take turns in replacing each other."""
    name, before = item.source.name, run.placed.get(item.source.name, UPLOADED)
    if item.known is None or item.known.sha256 == item.sha256 or UPLOADED in (before, item.source.folder or UPLOADED):
        return ()
    if before == item.source.folder or not (Path(before) / name).is_file():
        return ()
    return (f"replaces another file of this name, in {before}; to keep both, ingest the folder above them",)


def _document(item: _Item, kind: str, metadata: Metadata, text: ReadDocument) -> Document:
    return Document(
        id=item.id,
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
        id=item.id,
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
    sizes = settings.chunk_size, settings.chunk_overlap
    return chunk(document.id, document.metadata, one.text.pages, *sizes, document.groups, one.text.blocks)


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
    run.repo.save_indexed(replace(one.document, chunk_count=len(chunks)), one.text.pages, one.text.cut, one.text.blocks)
    _drop_replaced(run, one)
    run.done(Outcome(one.item.source.name, "indexed", one.document.id, warnings=one.text.warnings, cut=len(one.text.cut)))


def _save_failed(run: _Run, one: _Read, error: UnreadableDocument) -> None:
    """What the source held before is no longer what it holds: it is not answered from any more."""
    run.repo.save_failed(one.document)
    run.store.delete_documents([one.document.id])
    _drop_replaced(run, one)
    run.done(Outcome(one.item.source.name, "failed", one.document.id, error.reason, error.message))


def _drop_replaced(run: _Run, one: _Read) -> None:
    known = one.item.known
    if known is not None and known.id != one.document.id:
        run.store.delete_documents([known.id])


def _retire(run: _Run, gone: Sequence[Document]) -> None:
    if gone:
        run.repo.retire([document.source for document in gone])
        run.store.delete_documents([document.id for document in gone])
        run.outcomes.extend(Outcome(document.source, "retired", document.id) for document in gone)
