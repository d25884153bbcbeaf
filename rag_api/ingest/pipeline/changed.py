"""Files that must be read: those that are new, changed, or indexed by other means than today's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag_api.domain import Document, DocumentStatus
from rag_api.errors import UnreadableDocument
from rag_api.ingest.common.described.metadata import GROUPS
from rag_api.ingest.common.kinds import wants_office
from rag_api.ingest.sandbox.office import office
from rag_api.ingest.sandbox.starting import second_reader
from rag_api.ingest.sources.report import Outcome
from rag_api.ingest.sources.run import Item, Run
from rag_api.ingest.sources.sources import SourceFile, document_id

if TYPE_CHECKING:
    from rag_api.config import Settings
    from rag_api.embed import Embedder

# one more whenever reading, cleaning or chunking gives other text: documents are then indexed again
READER_VERSION = 38
_TRANSIENT = ("too_slow", "too_much_memory", "not_indexed")  # worth another try in the next run


def reconcile(run: Run, known: dict[str, Document]) -> set[str]:
    """Delete chunks that belong to no current document; the ids of documents whose chunks are
    gone."""
    wanted = {document.id for document in known.values() if document.status == DocumentStatus.INDEXED}
    present = run.store.document_ids()
    if leftovers := present - wanted:
        run.store.delete_documents(sorted(leftovers))
    return wanted - present


def changed_files(
    run: Run, sources: Sequence[SourceFile], known: dict[str, Document], lost: set[str]
) -> Iterator[Item]:
    """The files that must be read; the others are reported as they are."""
    names = {source.name for source in sources}
    for document in known.values():
        kept = run.files.path(document.sha256, Path(document.source).suffix)
        if document.id in lost and document.source not in names and kept.is_file():
            run.total += 1
            source = SourceFile(document.source, kept)
            yield Item(source, document.sha256, document.byte_count, "", document, document.id, document.metadata)
    for source in sources:
        current = known.get(source.name)
        try:
            sha256, size = run.digest(source)
        except UnreadableDocument as error:
            run.done(Outcome(source.name, "failed", None, error.reason, error.message))
            run.tell(source.name, "comparing")
            continue
        print_ = fingerprint_of(run.settings, run.embedder, source)
        same = current is not None and current.sha256 == sha256
        if (
            current is not None
            and same
            and _still_holds(current, print_, run.settings)
            and current.id not in {*lost, *_ids(run, known)}
        ):
            run.done(_unchanged(current))
            run.tell(source.name, "comparing")
        else:
            yield Item(
                source,
                sha256,
                size,
                print_,
                current,
                current.id if current is not None and same else _new_id(run, source, sha256),
            )


def _ids(run: Run, known: Mapping[str, Document]) -> set[str]:
    return {known[source].id for source in run.retitled}


def _new_id(run: Run, source: SourceFile, sha256: str) -> str:
    """The same file has the same id everywhere, unless a document that was renamed has it
    already."""
    name = source.name
    while run.ids.get(found := document_id(name, sha256), source.name) != source.name:
        name += "\0"
    run.ids[found] = source.name
    return found


def fingerprint_of(settings: Settings, embedder: Embedder, source: SourceFile) -> str:
    """Of everything but the content that the index of this file follows from."""
    rendered = wants_office(source.name) and office() is not None
    given = sorted((name, text) for name, text in source.given.items() if name != GROUPS)
    images = _image_readers(settings) if Path(source.name).suffix.casefold() == ".pdf" else ""
    parts = [READER_VERSION, settings.chunk_size, settings.chunk_overlap, embedder.name, given, rendered, images]
    parts += [source.problem.reason, source.problem.message] if source.problem else []
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _image_readers(settings: Settings) -> str:
    """Who would read a page's image."""
    return "" if settings.ocr == "off" else "two" if second_reader() else "one"


def limits(settings: Settings) -> str:
    return f" {settings.max_file_mb:g} {settings.max_pages}"


def _still_holds(current: Document, fingerprint: str, settings: Settings) -> bool:
    """Nothing but the content could change what became of it; a failure also depends on the
    limits."""
    if current.status == DocumentStatus.FAILED:
        return current.fingerprint == fingerprint + limits(settings) and current.reason not in _TRANSIENT
    return current.fingerprint == fingerprint


def _unchanged(current: Document) -> Outcome:
    if current.status == DocumentStatus.FAILED:
        message = current.warnings[0] if current.warnings else current.reason
        return Outcome(current.source, "failed", current.id, current.reason, message)
    return Outcome(current.source, "unchanged", current.id, warnings=current.warnings)
