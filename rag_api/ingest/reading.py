"""One changed file -> what is read of it, or why it cannot be read. In a reader's thread."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag_api.domain import Chunk, Document, DocumentStatus, Metadata, ReadDocument
from rag_api.errors import UnreadableDocument
from rag_api.ingest.changed import limits
from rag_api.ingest.chunk import chunk
from rag_api.ingest.kinds import media_type
from rag_api.ingest.metadata import edited, overridden
from rag_api.ingest.reader import Job, Reader
from rag_api.ingest.rendering import read_rendered
from rag_api.ingest.run import Item, ReadItem, Run
from rag_api.ingest.sources import UPLOADED
from rag_api.ingest.spoken import told_spoken

if TYPE_CHECKING:
    from rag_api.config import Settings


def read_item(run: Run, reader: Reader, item: Item) -> ReadItem:
    """In a reader's thread: keep the file, read it and cut it into passages; a DOCX that can be read is rendered and read again, with its
    places."""
    name, settings = item.source.name, run.settings
    kind = ""
    try:
        if problem := item.source.problem:
            raise UnreadableDocument(problem.reason, problem.message)
        if item.bytes > settings.max_file_mb * (1 << 20):
            raise UnreadableDocument("too_large", f"{name}: {item.bytes / (1 << 20):.1f} MB, more than {settings.max_file_mb:g}")
        kind = media_type(item.source.path, name)
        path = run.files.keep(item.source, item.sha256)
        ocr_seconds = settings.ocr_timeout if settings.ocr == "auto" else 0.0
        job = Job(path, name, kind, settings.max_pages, shared=run.shared, ocr_seconds=ocr_seconds)
        text = read_rendered(reader, job, run.files.path(item.sha256, ".pdf"), lambda page, of: run.tell(f"{name}, page {page} of {of}"))
        metadata, notes = edited(item.metadata or overridden(text.metadata, item.source.given), run.edits.get(name, {}))
        text = replace(text, warnings=(*text.warnings, *told_spoken(metadata.title, text.pages), *notes))
        text = replace(text, warnings=(*text.warnings, *item.source.notes, *_other_folder(run, item), *_same_content(run, item)))
        groups = run.repo.groups_of(name, metadata.department)
        document = replace(_document(item, kind, metadata, text), groups=groups)
        return ReadItem(item, document, text, None, tuple(_cut(settings, document, text)))
    except UnreadableDocument as error:
        return ReadItem(item, _failed(item, kind, error, settings), None, error)


def _cut(settings: Settings, document: Document, text: ReadDocument) -> list[Chunk]:
    return chunk(document.id, document.metadata, text.pages, settings.chunk_size, settings.chunk_overlap, document.groups)


def _same_content(run: Run, item: Item) -> tuple[str, ...]:
    """A warning when another document holds the very same: each answer then has two sources that are one."""
    other = run.same.setdefault(item.sha256, item.source.name)
    return () if other == item.source.name else (f"holds the same as {other}: take one of them out",)


def _other_folder(run: Run, item: Item) -> tuple[str, ...]:
    """A warning when two folders hold different files of one name: they take turns in replacing each other."""
    name, before = item.source.name, run.placed.get(item.source.name, UPLOADED)
    if item.known is None or item.known.sha256 == item.sha256 or UPLOADED in (before, item.source.folder or UPLOADED):
        return ()
    if before == item.source.folder or not (Path(before) / name).is_file():
        return ()
    return (f"replaces another file of this name, in {before}; to keep both, ingest the folder above them",)


def _document(item: Item, kind: str, metadata: Metadata, text: ReadDocument) -> Document:
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


def _failed(item: Item, kind: str, error: UnreadableDocument, settings: Settings) -> Document:
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
        fingerprint=item.fingerprint + limits(settings),
        warnings=(error.message,),
    )
