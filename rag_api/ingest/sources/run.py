"""The state of one ingestion: what it works with and has done so far, and the files that go through
it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rag_api.domain import Chunk, Document, Edit, Metadata, Progress, ReadDocument, Step, Titles
from rag_api.errors import IngestionStopped, UnreadableDocument
from rag_api.ingest.sources.report import Outcome, ProgressCallback, Retitled
from rag_api.ingest.sources.repository import DocumentsRepo
from rag_api.ingest.sources.sources import KeptFiles, SourceFile, sha256_of

if TYPE_CHECKING:  # the reader process imports this package too, and should start fast
    from rag_api.config import Settings
    from rag_api.embed import Embedder
    from rag_api.stores import Store

NOTED = 0.5  # seconds between two times that it is written down what a run is at


@dataclass(frozen=True, slots=True)
class Item:
    """A file that must be read. `known` is its source's current document."""

    source: SourceFile
    sha256: str
    bytes: int
    fingerprint: str
    known: Document | None
    id: str  # that its document has or will have
    metadata: Metadata | None = None  # instead of what the file says: of a document that is only indexed again


@dataclass(frozen=True, slots=True)
class ReadItem:
    item: Item
    document: Document
    text: ReadDocument | None
    error: UnreadableDocument | None
    chunks: tuple[Chunk, ...] = ()
    titles: Titles = field(default_factory=Titles)


@dataclass(slots=True)
class Run:
    """What a run works with, and what it has done so far."""

    settings: Settings
    repo: DocumentsRepo
    store: Store
    embedder: Embedder
    files: KeptFiles
    progress: ProgressCallback | None
    total: int
    # Keys of titles that many documents bear: they name none of them. By the groups whose members
    # read all of those documents.
    letterheads: dict[tuple[str, ...], set[str]] = field(default_factory=dict)
    retitles: list[Retitled] = field(default_factory=list)  # documents that were indexed before under one of them
    ids: dict[str, str] = field(default_factory=dict)  # by id, the name of every document, whatever its status
    # by source: what admins say over what files say
    edits: Mapping[str, Mapping[str, Edit]] = field(default_factory=dict)
    placed: Mapping[str, str] = field(default_factory=dict)  # by source: the folder it was last ingested from
    renamed: dict[str, str] = field(default_factory=dict)  # new name -> the name before
    # of those, the name before -> the new one, where another file has it now
    taken: dict[str, str] = field(default_factory=dict)
    retitled: set[str] = field(default_factory=set)  # renamed ones whose title was their name
    digests: dict[str, tuple[str, int]] = field(default_factory=dict)  # by source, of files looked at already
    pages: int = 0
    chunks: int = 0
    started: float = field(default_factory=time.monotonic)
    outcomes: list[Outcome] = field(default_factory=list)
    noted: float = -math.inf  # when what it is at was last written down
    step: Step | None = None  # that it was at then

    def letterheads_of(self, groups: tuple[str, ...]) -> frozenset[str]:
        """Return the letterheads among the titles of a document that these read."""
        return frozenset(self.letterheads.get(groups, ()))

    def tell(self, source: str, step: Step, page: int = 0, of: int = 0) -> None:
        """What the run is at, for who waits for it and, now and then, for who asks the service.
        Several readers tell by turns."""
        now = time.monotonic()
        at = Progress(
            len(self.outcomes), self.total, self.pages, self.chunks, now - self.started, source, step, page, of
        )
        if self.progress is not None:
            self.progress(at)
        # One step of a cluster does not know the whole: who drives it writes that down.
        if self.total and now - self.noted >= (NOTED if step == self.step else NOTED / 10):
            self.noted, self.step = now, step
            self.repo.put_progress(at)

    def go_on(self) -> None:
        """Raises IngestionStopped when somebody has asked for that."""
        if self.repo.asked_to_stop():
            raise IngestionStopped("The ingestion was stopped. What was done stays; the next run goes on from there.")

    def digest(self, source: SourceFile) -> tuple[str, int]:
        """(sha256, bytes), read once. Raises UnreadableDocument."""
        if source.name not in self.digests:
            self.digests[source.name] = sha256_of(source)
        return self.digests[source.name]

    def in_order(self, sources: Sequence[SourceFile]) -> tuple[Outcome, ...]:
        """What became of each, in the order that they were given in: what was read first came
        first."""
        place = {source.name: number for number, source in enumerate(sources)}
        return tuple(
            sorted(
                self.outcomes,
                key=lambda outcome: place.get(outcome.source, -1 if outcome.outcome != "retired" else len(place)),
            )
        )

    def done(self, outcome: Outcome) -> None:
        self.outcomes.append(replace(outcome, renamed_from=self.renamed.get(outcome.source, "")))
