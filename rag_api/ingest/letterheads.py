"""Which titles of a run's files are none of their own: the first pages of all that changed are looked at before any is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag_api.domain import Document
from rag_api.errors import UnreadableDocument
from rag_api.ingest.kinds import media_type
from rag_api.ingest.metadata import title_key
from rag_api.ingest.pool import ReaderPool
from rag_api.ingest.read import PDF
from rag_api.ingest.reader import Job, Reader
from rag_api.ingest.run import Item, Run
from rag_api.ingest.titles import Opening, shared_titles, words_of


def survey_titles(run: Run, pool: ReaderPool, changed: Sequence[Item], known: Mapping[str, Document]) -> frozenset[str]:
    """By what the PDFs of this run may be called, and documents that stay as they are are called."""
    openings = [opening for opening in pool.map(lambda reader, item: _opening(run, reader, item), changed) if opening is not None]
    wanted = {title_key(title) for opening in openings for title in opening.titles}
    again = {item.source.name for item in changed}
    stay = [document for document in known.values() if document.source not in again and title_key(document.metadata.title) in wanted]
    return shared_titles([*openings, *(_opening_of(run, document) for document in stay)])


def _opening(run: Run, reader: Reader, item: Item) -> Opening | None:
    """None of what is no PDF or cannot be read: reading it says why."""
    name, path = item.source.name, item.source.path
    try:
        if item.bytes > run.settings.max_file_mb * (1 << 20) or media_type(path, name) != PDF:
            return None
        return reader.read_opening(Job(path, name, PDF, run.settings.max_pages))
    except UnreadableDocument:
        return None


def _opening_of(run: Run, document: Document) -> Opening:
    pages = run.repo.pages(document.id)
    return Opening((document.metadata.title,), frozenset(words_of(pages[0].text) if pages else ()))
