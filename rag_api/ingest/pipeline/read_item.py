"""One changed file -> what is read of it, or why it cannot be read. In a reader's thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag_api.domain import Chunk, Document, DocumentStatus, Edit, Metadata, Note, ReadDocument, Titles
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.chunk import chunk
from rag_api.ingest.common.contradictions import contradictions
from rag_api.ingest.common.described.metadata import edited, overridden, title_from_name
from rag_api.ingest.common.described.titles import called, own_title
from rag_api.ingest.common.job import Job
from rag_api.ingest.common.kinds import Kind, media_type
from rag_api.ingest.common.notes import note
from rag_api.ingest.pipeline.changed import limits
from rag_api.ingest.pipeline.injection_notes import told_spoken
from rag_api.ingest.pipeline.stale_versions import refuse_half
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from rag_api.ingest.sandbox.rendering import read_rendered
from rag_api.ingest.sources.run import Item, ReadItem, Run
from rag_api.ingest.sources.sources import UPLOADED, groups_said
from rag_api.text.quotable.uncertain import certain_share

if TYPE_CHECKING:
    from rag_api.config import Settings

_ENOUGH = 0.5  # of a text that can be quoted


def read_item(run: Run, reader: ReaderProcess, item: Item) -> ReadItem:
    """In a reader's thread: keep the file, read it and cut it into passages; a DOCX that can be
    read is rendered and read again, with its places."""
    name, settings = item.source.name, run.settings
    kind = ""
    try:
        if problem := item.source.problem:
            raise UnreadableDocument(problem.reason, problem.message)
        if item.bytes > settings.max_file_mb * (1 << 20):
            raise UnreadableDocument(
                "too_large", f"{name}: {item.bytes / (1 << 20):.1f} MB, more than {settings.max_file_mb:g}"
            )
        fetched = run.files.keep(item.source, item.sha256) if item.source.url else None
        kind = media_type(fetched or item.source.path, name)
        path = fetched or run.files.keep(item.source, item.sha256)
        ocr_seconds = settings.ocr_timeout if settings.ocr == "auto" else 0.0
        if kind == Kind.PDF:
            refuse_half(item)
        run.tell(name, "reading")
        job = Job(path, name, kind, settings.max_pages, ocr_seconds=ocr_seconds)
        text = read_rendered(
            reader, job, run.files.path(item.sha256, ".pdf"), lambda page, of: run.tell(name, "reading", page, of)
        )
        edits = run.edits.get(name, {})
        metadata, notes = edited(item.metadata or overridden(_own(run, item, text, edits), item.source.given), edits)
        text = replace(
            text, warnings=(*_mostly_in_doubt(text), *text.warnings, *told_spoken(metadata.title, text.pages), *notes)
        )
        found = (
            *contradictions(text, item.source.given, said_by(item)),
            *_other_file(run, item),
            *_took_name(run, item),
        )
        text = replace(text, warnings=(*text.warnings, *item.source.notes, *found))
        groups = _groups(run, item, metadata)
        document = replace(_document(item, kind, metadata, text), groups=groups)
        return ReadItem(
            item, document, text, None, cut_text(settings, document, text), _titles(item, text.titles, edits)
        )
    except UnreadableDocument as error:
        return ReadItem(item, failed_document(item, kind, error, settings), None, error)


def _mostly_in_doubt(text: ReadDocument) -> tuple[Note, ...]:
    share = certain_share(text.text, text.blocks, text.uncertain) if text.uncertain else 1.0
    return (note("mostly_in_doubt", share=f"{share:.0%}"),) if share < _ENOUGH else ()


def cut_text(settings: Settings, document: Document, text: ReadDocument) -> tuple[Chunk, ...]:
    sizes = settings.chunk_size, settings.chunk_overlap
    return tuple(chunk(document.id, document.metadata, text.pages, *sizes, document.groups, text.blocks))


def _own(run: Run, item: Item, text: ReadDocument, edits: Mapping[str, Edit]) -> Metadata:
    """What the file says, by the title that counts as its own. An edit of a title holds on while
    its file may still be called as it was then: that another of its titles goes first now is our
    doing."""
    letterheads = run.letterheads_of(_groups(run, item, text.metadata)) if run.letterheads else ()
    title = own_title(item.source.name, text.titles, letterheads)
    if "title" in edits and edits["title"].said in (*text.titles.names, title_from_name(item.source.name)):
        title = edits["title"].said
    return called(text.metadata, title, text.titles)


def _groups(run: Run, item: Item, metadata: Metadata) -> tuple[str, ...]:
    said = groups_said([item.source]).get(item.source.name, ())
    return run.repo.groups_of(item.source.name, metadata.department, said)


def _titles(item: Item, titles: Titles, edits: Mapping[str, Edit]) -> Titles:
    said = {*item.source.given, *edits}
    return replace(
        titles,
        patients=titles.patients and "target_groups" not in said,
        borne=item.metadata is None and "title" not in said,
    )


def said_by(item: Item) -> str:
    """Whose words stand over the file's."""
    return "the upload" if item.source.folder == UPLOADED else "metadata.csv or the list of sources"


def _took_name(run: Run, item: Item) -> tuple[str, ...]:
    """A warning when the document that had this name is still there under another:
    "protocol-oud.pdf"."""
    other = run.taken.get(item.source.name)
    if other is None:
        return ()
    return (note("took_name", other=other),)


def _other_file(run: Run, item: Item) -> tuple[str, ...]:
    """A warning when this takes the place of another file of its name: those of two folders take
    turns in replacing each other, and so do an upload and a file in a folder."""
    name, before, now = item.source.name, run.placed.get(item.source.name, UPLOADED), item.source.folder or UPLOADED
    if item.known is None or item.known.sha256 == item.sha256 or before == now:
        return ()
    if before == UPLOADED:
        return (note("replaces_uploaded", groups=", ".join(item.known.groups)),) if name in run.placed else ()
    if not (Path(before) / name).is_file():
        return ()
    return (note("replaces_in_folder" if now == UPLOADED else "replaces_other_folder", folder=before),)


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


def failed_document(item: Item, kind: str, error: UnreadableDocument, settings: Settings) -> Document:
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
