"""The report of an ingestion while it runs and when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rag_api.domain import Progress
from rag_api.ingest.sources.sources import Skipped


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one source: "indexed", "unchanged", "failed" or "retired"; reason is one of
    UnreadableDocument.REASONS."""

    source: str
    outcome: str
    document_id: str | None = None
    reason: str = ""
    message: str = ""
    warnings: tuple[str, ...] = ()
    cut: int = 0  # lines of an indexed document left out as headers, footers and page numbers
    from_images: int = 0  # pages of an indexed document that were read from their image
    uncertain: int = 0  # places of them that were read in doubt
    renamed_from: str = ""  # the name that it had when its file lay elsewhere
    kept: bool = False  # what failed is its file; the version before it is answered from


@dataclass(frozen=True, slots=True)
class Missing:
    """A document whose file is no longer in the folder that it came from. Questions are still
    answered from it."""

    source: str
    document_id: str
    title: str


@dataclass(frozen=True, slots=True)
class Retitled:
    """A document whose title turned out to be a letterhead: many documents about different things
    bear it."""

    source: str
    document_id: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    items: tuple[Outcome, ...]
    pages: int  # of the documents indexed in this run
    chunks: int
    seconds: float
    skipped: tuple[Skipped, ...] = ()  # files that lie in the folders and are not read
    missing: tuple[Missing, ...] = ()
    retitled: tuple[Retitled, ...] = ()
    notes: tuple[str, ...] = ()  # what is wrong where documents lie, and belongs to none of them

    def count(self, outcome: str) -> int:
        return sum(item.outcome == outcome for item in self.items)

    @property
    def cut(self) -> int:
        return sum(item.cut for item in self.items)

    @property
    def from_images(self) -> int:
        return sum(item.from_images for item in self.items)

    @property
    def indexed(self) -> int:
        return self.count("indexed")

    @property
    def unchanged(self) -> int:
        return self.count("unchanged")

    @property
    def failed(self) -> int:
        return self.count("failed")

    @property
    def kept(self) -> int:
        return sum(item.kept for item in self.items)

    @property
    def retired(self) -> int:
        return self.count("retired")


ProgressCallback = Callable[[Progress], None]
