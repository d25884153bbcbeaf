"""The documents list, as ingestion sees it. rag_api/db/documents.py keeps it in Postgres, `MemoryDocuments` in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Protocol

from rag_api.domain import EVERYONE, Block, CutLine, Document, DocumentStatus, Edit, Page

CURRENT = (DocumentStatus.INDEXED, DocumentStatus.FAILED)


class DocumentsRepo(Protocol):
    """At most one *current* document (indexed or failed) per source; the replaced and retired ones stay for old answers.

    Every method is one transaction. Raises DatabaseUnavailable.
    """

    def lock(self) -> AbstractContextManager[None]:
        """One ingestion at a time over all processes: waits for the other. Freed when the process dies (a session's advisory lock)."""

    def current(self) -> dict[str, Document]:
        """By source: the documents whose status is INDEXED or FAILED, with their fingerprint."""

    def save_indexed(
        self,
        document: Document,
        pages: Sequence[Page],
        cut: Sequence[CutLine] = (),
        uncertain: Sequence[tuple[int, int]] = (),
        blocks: Sequence[Block] = (),
    ) -> None:
        """Make this the current document of its source, with these pages (`boxes.pack_boxes` makes bytes of `Page.boxes`), lines that
        were cut from them, places of their text that were read in doubt, and its blocks.

        Its id may exist already, in any status: row and pages are replaced. Another current document of the source
        becomes REPLACED. The row's `created_at` is kept on replacement, `updated_at` is now."""

    def save_failed(self, document: Document) -> None:
        """As `save_indexed`, without pages; status FAILED and the reason are in the document."""

    def retire(self, sources: Sequence[str]) -> None:
        """The current documents of these sources become RETIRED; sources without one are no error."""

    def pages(self, document_id: str) -> list[Page]:
        """In order; empty for an unknown id."""

    def edits(self) -> Mapping[str, Mapping[str, Edit]]:
        """What admins say of documents: by source, then by metadata field."""

    def source_of(self, document_id: str) -> str | None:
        """The name of a document in any status, None for an unknown id."""

    def put_warnings(self, document_id: str, warnings: Sequence[str]) -> None:
        """Say these of a document, and nothing else."""

    def folders(self) -> Mapping[str, str]:
        """The folder that each document was last ingested from, by source."""

    def items(self) -> Mapping[str, str]:
        """The id that each document's file had in its folder, by source; of those that had one."""

    def put_folders(self, folders: Mapping[str, str], items: Mapping[str, str] = MappingProxyType({})) -> None:
        """Those of these sources are known from now on, with their files' ids there."""

    def groups_of(self, source: str, department: str) -> tuple[str, ...]:
        """Who may read a document of this name and department."""

    def put_source_groups(self, said: Mapping[str, Sequence[str]]) -> None:
        """Who may read documents, as where they come from says; in force at once. Raises InvalidInput."""

    def catch_up(self, reach_index: Callable[[str, tuple[str, ...]], None]) -> None:
        """Give the index the groups of documents that it has others of."""

    def rename(self, old: str, new: str, titles: tuple[str, str]) -> None:
        """A document and its versions get another name, with edits, history, judged questions; not its folder. `new` has no current
        document. titles: what the names themselves say, before and now."""


class MemoryDocuments:
    """A DocumentsRepo that forgets: for tests, and for trying ingestion without a database."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.edited: dict[str, dict[str, Edit]] = {}
        self.cut: dict[str, list[CutLine]] = {}
        self.blocks: dict[str, tuple[Block, ...]] = {}
        self.uncertain: dict[str, list[tuple[int, int]]] = {}
        self._pages: dict[str, list[Page]] = {}
        self._folders: dict[str, str] = {}
        self._items: dict[str, str] = {}
        self._said: dict[str, tuple[str, ...]] = {}
        self._indexed: dict[str, tuple[str, ...]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def lock(self) -> Iterator[None]:
        with self._lock:
            yield

    def current(self) -> dict[str, Document]:
        return {d.source: d for d in self.documents.values() if d.status in CURRENT}

    def save_indexed(
        self,
        document: Document,
        pages: Sequence[Page],
        cut: Sequence[CutLine] = (),
        uncertain: Sequence[tuple[int, int]] = (),
        blocks: Sequence[Block] = (),
    ) -> None:
        self._put(document)
        self.blocks[document.id] = tuple(blocks)
        self._pages[document.id] = list(pages)
        self.cut[document.id] = list(cut)
        self.uncertain[document.id] = list(uncertain)

    def save_failed(self, document: Document) -> None:
        self._put(document)
        self._pages.pop(document.id, None)
        self.cut.pop(document.id, None)
        self.uncertain.pop(document.id, None)

    def retire(self, sources: Sequence[str]) -> None:
        current = self.current()
        for source in sources:
            if source in current:
                self._set_status(current[source], DocumentStatus.RETIRED)

    def pages(self, document_id: str) -> list[Page]:
        return list(self._pages.get(document_id, ()))

    def edits(self) -> Mapping[str, Mapping[str, Edit]]:
        return self.edited

    def source_of(self, document_id: str) -> str | None:
        return self.documents[document_id].source if document_id in self.documents else None

    def put_warnings(self, document_id: str, warnings: Sequence[str]) -> None:
        self.documents[document_id] = replace(self.documents[document_id], warnings=tuple(warnings))

    def folders(self) -> Mapping[str, str]:
        return dict(self._folders)

    def items(self) -> Mapping[str, str]:
        return dict(self._items)

    def put_folders(self, folders: Mapping[str, str], items: Mapping[str, str] = MappingProxyType({})) -> None:
        self._folders |= folders
        self._items |= {source: items.get(source, "") for source in folders}

    def groups_of(self, source: str, department: str) -> tuple[str, ...]:
        return self._said.get(source, EVERYONE)

    def put_source_groups(self, said: Mapping[str, Sequence[str]]) -> None:
        self._said |= {source: tuple(sorted(groups)) for source, groups in said.items()}
        for key, document in self.documents.items():
            self.documents[key] = replace(document, groups=self.groups_of(document.source, ""))

    def catch_up(self, reach_index: Callable[[str, tuple[str, ...]], None]) -> None:
        for key, document in self.documents.items():
            if document.status == DocumentStatus.INDEXED and self._indexed[key] != document.groups:
                reach_index(key, document.groups)
                self._indexed[key] = document.groups

    def rename(self, old: str, new: str, titles: tuple[str, str]) -> None:
        self._said.pop(new, None)
        if old in self._said:
            self._said[new] = self._said.pop(old)
        for key, document in self.documents.items():
            if document.source == old:
                self.documents[key] = replace(document, source=new)
        edits = self.edited.pop(old, {})
        if "title" in edits and edits["title"].said == titles[0]:
            edits["title"] = replace(edits["title"], said=titles[1])
        self.edited[new] = edits
        self._folders.pop(old, None)
        self._items.pop(old, None)

    def _put(self, document: Document) -> None:
        now = datetime.now(UTC)
        before = self.current().get(document.source)
        if before is not None and before.id != document.id:
            self._set_status(before, DocumentStatus.REPLACED)
        known = self.documents.get(document.id)
        created = known.created_at if known else now
        self._indexed[document.id] = document.groups
        self.documents[document.id] = replace(document, created_at=created, updated_at=now)

    def _set_status(self, document: Document, status: DocumentStatus) -> None:
        self.documents[document.id] = replace(document, status=status, updated_at=datetime.now(UTC))
