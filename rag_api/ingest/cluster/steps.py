"""The steps as Ray's actors run them: each opens what it needs once, then does to every table of
rows what one machine does to files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rag_api.config import Settings
from rag_api.errors import ConfigurationError, StoreUnavailable, Unavailable, UnreadableDocument
from rag_api.ingest.cluster.rows import DocumentDone, Embedded, Ticket, packed, unpacked
from rag_api.ingest.common.chunk import embedding_text
from rag_api.ingest.pipeline.embedding import embed_texts
from rag_api.ingest.pipeline.letterheads import settle_titles
from rag_api.ingest.pipeline.read_item import failed_document, read_item
from rag_api.ingest.pipeline.saving import batches, save_batch
from rag_api.ingest.sandbox.reader_process import ReaderProcess
from rag_api.ingest.sources.report import Outcome
from rag_api.ingest.sources.repository import DocumentsRepo
from rag_api.ingest.sources.retries import retried
from rag_api.ingest.sources.run import Item, ReadItem, Run
from rag_api.ingest.sources.sources import KeptFiles, SourceFile, sha256_of

if TYPE_CHECKING:
    import pyarrow as pa

    from rag_api.embed import Embedder
    from rag_api.stores import Store

log = logging.getLogger(__name__)
MOST_TRIES = 3  # of a document whose reader was lost each time
REFUSALS = 5  # of what a store is given that answers otherwise


@dataclass(frozen=True, slots=True)
class Openers:
    """How an actor opens what it works with: functions, which travel by name."""

    repo: Callable[[Settings], DocumentsRepo]
    store: Callable[[Settings, str, int], Store]
    embedder: Callable[[Settings], Embedder]


@dataclass(frozen=True, slots=True)
class StepParts:
    """What every actor is given."""

    settings: Settings
    open: Openers
    space: tuple[str, int]  # the embedder's name and dimensions
    token: Path  # a file in the data directory, which all machines must see

    def run(self, *, repo: Any = None, store: Any = None, embedder: Any = None) -> Run:
        """What the steps work with; of one step only its own parts are there."""
        return Run(self.settings, repo, store, embedder, KeptFiles(self.settings.data_dir), None, 0)


def look(table: pa.Table) -> pa.Table:
    """Sources -> their names and digests; of what cannot be opened nothing is said here."""
    found = (retried(lambda source=source: _digest(source)) for source in unpacked(table))  # type: ignore[misc]
    return packed(one for one in found if one is not None)


def _digest(source: SourceFile) -> tuple[str, tuple[str, int]] | None:
    try:
        return source.name, sha256_of(source)
    except UnreadableDocument:
        return None


class ReadingStep:
    """Tickets -> documents that were read, titled and cut into passages, or why they cannot be."""

    def __init__(self, parts: StepParts) -> None:
        if not parts.token.is_file():
            raise ConfigurationError(
                f"BEDSIDE_DATA_DIR: {parts.settings.data_dir} is not the same folder on all machines of the cluster"
            )
        self._run = parts.run(repo=retried(lambda: parts.open.repo(parts.settings)))
        self._reader = ReaderProcess(parts.settings.read_timeout, parts.settings.read_memory_mb)

    def close(self) -> None:
        """End the process that reads."""
        self._reader.close()

    def __call__(self, table: pa.Table) -> Iterator[pa.Table]:
        for batch in batches(self._counted(ticket) for ticket in unpacked(table)):
            yield packed(retried(lambda batch=batch: settle_titles(self._run, batch)[0]))  # type: ignore[misc]

    def _counted(self, ticket: Ticket) -> ReadItem:
        """What a reading that ends with its reader leaves behind is its beginning. All else that a
        document waits for between the pools, and may be lost in with a machine or a driver, is not
        its fault and is not counted."""
        repo, item = self._run.repo, ticket.item
        if retried(lambda: repo.begin_reading(item.id)) > MOST_TRIES:
            why = f"{item.source.name}: whoever read it was lost {MOST_TRIES} times; the next run tries it again"
            read = _given_up(item, self._run.settings, why)
        else:
            read = retried(lambda: self._read(ticket))
        retried(lambda: repo.end_reading([item.id]))
        return read

    def _read(self, ticket: Ticket) -> ReadItem:
        item, name = ticket.item, ticket.item.source.name
        self._run.edits = {name: ticket.edits} if ticket.edits else {}
        self._run.placed = {name: ticket.placed} if ticket.placed is not None else {}
        self._run.taken = {name: ticket.taken} if ticket.taken is not None else {}
        try:
            return read_item(self._run, self._reader, item)
        except Unavailable:
            raise
        except Exception as error:  # one document's, and no reason to stop thousands
            log.exception("a document could not be read")
            return _given_up(
                item, self._run.settings, f"{name}: could not be cut into passages ({type(error).__name__})"
            )


class EmbeddingStep:
    """Documents that were read -> the same with their passages' vectors."""

    def __init__(self, parts: StepParts) -> None:
        self._run = parts.run(embedder=retried(lambda: parts.open.embedder(parts.settings)))

    def __call__(self, table: pa.Table) -> pa.Table:
        read: list[ReadItem] = unpacked(table)
        texts = [embedding_text(chunk) for one in read for chunk in one.chunks]
        vectors = retried(lambda: embed_texts(self._run, texts, ""))
        ends = np.cumsum([len(one.chunks) for one in read])[:-1]
        return packed(Embedded(one, own) for one, own in zip(read, np.split(vectors, ends), strict=True))


class Writing:
    """Documents with their vectors -> the store and the list; what became of each."""

    def __init__(self, parts: StepParts) -> None:
        repo = retried(lambda: parts.open.repo(parts.settings))
        self._run = parts.run(repo=repo, store=retried(lambda: parts.open.store(parts.settings, *parts.space)))

    def __call__(self, table: pa.Table) -> pa.Table:
        batch: list[Embedded] = unpacked(table)
        outcomes = self._saved(batch)
        if outcomes is None:  # one of them, perhaps
            outcomes = [outcome for one in batch for outcome in self._saved_alone(one)]
        by_source = {outcome.source: outcome for outcome in outcomes}
        return packed(
            DocumentDone(by_source[one.read.item.source.name], one.read.document.page_count, len(one.read.chunks))
            for one in batch
        )

    def _saved(self, batch: Sequence[Embedded]) -> list[Outcome] | None:
        """What became of them; None: the store answers, and yet refuses them every time."""
        refused = 0

        def save() -> list[Outcome] | None:
            nonlocal refused
            self._run.outcomes = []
            try:
                save_batch(self._run, [one.read for one in batch], np.concatenate([one.vectors for one in batch]))
            except StoreUnavailable:
                refused += self._answers()
                if refused < REFUSALS:
                    raise
                return None
            return self._run.outcomes

        return retried(save)

    def _saved_alone(self, one: Embedded) -> list[Outcome]:
        outcomes = self._saved([one])
        if outcomes is None:
            given_up = _given_up(
                one.read.item, self._run.settings, f"{one.read.item.source.name}: the index does not take its passages"
            )
            outcomes = self._saved([Embedded(given_up, one.vectors[:0])])
        assert outcomes is not None, "what holds no passages is refused by no store"
        return outcomes

    def _answers(self) -> bool:
        try:
            self._run.store.count()
        except Unavailable:
            return False
        return True


def _given_up(item: Item, settings: Settings, message: str) -> ReadItem:
    error = UnreadableDocument("not_indexed", message)
    return ReadItem(item, failed_document(item, "", error, settings), None, error)
