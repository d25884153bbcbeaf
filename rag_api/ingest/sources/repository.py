"""The documents list, as ingestion sees it. rag_api/db/documents.py keeps it in Postgres,
`MemoryDocuments` in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Protocol

from rag_api.domain import EVERYONE, Document, DocumentStatus, Edit, Indexed, Page, Progress, Titles
from rag_api.text.title_key import title_key


class DocumentsRepo(Protocol):
    """At most one *current* document (indexed or failed) per source; the replaced and retired ones
    stay for old answers.

    Every method is one transaction. Raises DatabaseUnavailable.
    """

    def lock(self) -> AbstractContextManager[None]:
        """One ingestion at a time over all processes: waits for the other. Freed when the process
        dies (a session's advisory lock)."""

    def asked_to_stop(self) -> bool:
        """Whether somebody wants the ingestion that holds the lock to end."""

    def put_progress(self, at: Progress) -> None:
        """Note where the ingestion that holds the lock is, for who asks. No ingestion ends because
        this cannot be done."""

    def current(self) -> dict[str, Document]:
        """By source: the documents whose status is INDEXED or FAILED, with their fingerprint."""

    def save_indexed(self, documents: Sequence[Indexed]) -> None:
        """Make each the current document of its source, with its pages (`boxes.pack_boxes` makes
        bytes of `Page.boxes`) and what else was read. Sources differ.

        An id may exist already, in any status: row and pages are replaced. Another current document
        of the source becomes REPLACED. The row's `created_at` is kept on replacement, `updated_at`
        is now."""

    def save_failed(self, document: Document) -> None:
        """As `save_indexed`, without pages; status FAILED and the reason are in the document."""

    def amend(self, document: Document, own: Titles | None = None) -> None:
        """Write what is said of a document that stays as it is: title, patients, warnings,
        fingerprint; and what it may be called."""

    def keep(self, document_id: str, warnings: Sequence[str]) -> None:
        """A document stays although its file cannot be read now: with these warnings, and without a
        fingerprint, so that it is looked at again."""

    def bearers(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """Indexed documents that may be called so by their own words, by `title_key`: their groups
        by their ids; of very many that the same may read some hundred."""

    def shared_titles(self, least: int) -> Sequence[str]:
        """What so many indexed documents or more may be called by their own words, by
        `title_key`."""

    def begin_reading(self, document_id: str) -> int:
        """Note that it is being read, where that may end with whoever reads it; how many times it
        has begun without an end."""

    def end_reading(self, document_ids: Sequence[str]) -> None:
        """Whoever read these has come to the end of it."""

    def openings(self, document_ids: Sequence[str]) -> Mapping[str, str]:
        """The beginning of these documents' first pages, by id."""

    def called(self, keys: Sequence[str]) -> Sequence[tuple[Document, Titles]]:
        """Indexed documents that are called so, by `title_key`, because their own words do."""

    def retire(self, sources: Sequence[str]) -> None:
        """The current documents of these sources become RETIRED; sources without one are no
        error."""

    def pages(self, document_id: str) -> list[Page]:
        """In order; empty for an unknown id."""

    def edits(self) -> Mapping[str, Mapping[str, Edit]]:
        """What admins say of documents: by source, then by metadata field."""

    def sources(self) -> dict[str, str]:
        """The name of every document, in any status, by id."""

    def put_warnings(self, document_id: str, warnings: Sequence[str]) -> None:
        """Say these of a document, and nothing else."""

    def folders(self) -> Mapping[str, str]:
        """The folder that each document was last ingested from, by source."""

    def items(self) -> Mapping[str, str]:
        """The id that each document's file had in its folder, by source; of those that had one."""

    def put_folders(self, placed: Mapping[str, str], items: Mapping[str, str] = MappingProxyType({})) -> None:
        """Those of these sources are known from now on, with their files' ids there."""

    def groups_of(self, source: str, department: str, said: Sequence[str] = ()) -> tuple[str, ...]:
        """Who may read a document of this name and department. said: what its source says now,
        where that is not kept yet."""

    def put_source_groups(self, said: Mapping[str, Sequence[str]]) -> None:
        """Who may read documents, as where they come from says; in force at once. Raises
        InvalidInput."""

    def try_source_groups(self, said: Mapping[str, Sequence[str]]) -> None:
        """Raises what `put_source_groups` would, and changes nothing."""

    def catch_up(self, reach_index: Callable[[str, tuple[str, ...]], None]) -> None:
        """Give the index the groups of documents that it has others of."""

    def rename(self, old: str, new: str, titles: tuple[str, str], taken: bool = False) -> None:
        """A document and its versions get another name, with edits, history, judged questions; not
        its folder. `new` has no current document. titles: what the names themselves say, before and
        now. taken: another file has the old name now, which keeps its judged questions, and who may
        read it."""


class MemoryDocuments:
    """A DocumentsRepo that forgets: for tests, and for trying ingestion without a database."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.read: dict[str, Indexed] = {}
        self.edited: dict[str, dict[str, Edit]] = {}
        self._current: dict[str, str] = {}  # by source
        self._titles: dict[str, Titles] = {}
        self._bearers: dict[str, dict[str, None]] = {}
        self._folders: dict[str, str] = {}
        self._items: dict[str, str] = {}
        self._said: dict[str, tuple[str, ...]] = {}
        self._indexed: dict[str, tuple[str, ...]] = {}
        self._begun: dict[str, int] = {}
        self.stop_asked = False
        self.progress: Progress | None = None
        self._lock = threading.Lock()

    @contextmanager
    def lock(self) -> Iterator[None]:
        with self._lock:
            self.stop_asked, self.progress = False, None
            yield

    def asked_to_stop(self) -> bool:
        return self.stop_asked

    def put_progress(self, at: Progress) -> None:
        self.progress = at

    def current(self) -> dict[str, Document]:
        return {source: self.documents[key] for source, key in self._current.items()}

    def save_indexed(self, documents: Sequence[Indexed]) -> None:
        for one in documents:
            self._put(one.document)
            self.read[one.document.id] = one
            self._put_titles(one.document.id, one.titles)

    def save_failed(self, document: Document) -> None:
        self._put(document)
        self.read.pop(document.id, None)
        self._put_titles(document.id, Titles())

    def amend(self, document: Document, own: Titles | None = None) -> None:
        self.documents[document.id] = replace(document, updated_at=datetime.now(UTC))
        if own is not None:
            self._put_titles(document.id, own)

    def keep(self, document_id: str, warnings: Sequence[str]) -> None:
        self.amend(replace(self.documents[document_id], warnings=tuple(warnings), fingerprint=""))

    def bearers(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        return {
            key: {one: self.documents[one].groups for one in self._bearers.get(key, ()) if self._is_indexed(one)}
            for key in keys
        }

    def shared_titles(self, least: int) -> Sequence[str]:
        return [key for key, ids in self._bearers.items() if sum(map(self._is_indexed, ids)) >= least]

    def begin_reading(self, document_id: str) -> int:
        self._begun[document_id] = self._begun.get(document_id, 0) + 1
        return self._begun[document_id]

    def end_reading(self, document_ids: Sequence[str]) -> None:
        for key in document_ids:
            self._begun.pop(key, None)

    def openings(self, document_ids: Sequence[str]) -> Mapping[str, str]:
        return {key: self.pages(key)[0].text for key in document_ids if self.pages(key)}

    def called(self, keys: Sequence[str]) -> Sequence[tuple[Document, Titles]]:
        found = [
            (self.documents[key], titles)
            for key, titles in self._titles.items()
            if titles.borne and self._is_indexed(key)
        ]
        return [(document, titles) for document, titles in found if title_key(document.metadata.title) in keys]

    def retire(self, sources: Sequence[str]) -> None:
        current = self.current()
        for source in sources:
            if source in current:
                self._set_status(current[source], DocumentStatus.RETIRED)

    def pages(self, document_id: str) -> list[Page]:
        return list(self.read[document_id].pages) if document_id in self.read else []

    def edits(self) -> Mapping[str, Mapping[str, Edit]]:
        return self.edited

    def sources(self) -> dict[str, str]:
        return {document.id: document.source for document in self.documents.values()}

    def put_warnings(self, document_id: str, warnings: Sequence[str]) -> None:
        self.documents[document_id] = replace(self.documents[document_id], warnings=tuple(warnings))

    def folders(self) -> Mapping[str, str]:
        return dict(self._folders)

    def items(self) -> Mapping[str, str]:
        return dict(self._items)

    def put_folders(self, placed: Mapping[str, str], items: Mapping[str, str] = MappingProxyType({})) -> None:
        self._folders |= placed
        self._items |= {source: items.get(source, "") for source in placed}

    def groups_of(self, source: str, department: str, said: Sequence[str] = ()) -> tuple[str, ...]:
        return tuple(sorted(said)) or self._said.get(source, EVERYONE)

    def put_source_groups(self, said: Mapping[str, Sequence[str]]) -> None:
        self._said |= {source: tuple(sorted(groups)) for source, groups in said.items()}
        for key, document in self.documents.items():
            self.documents[key] = replace(document, groups=self.groups_of(document.source, ""))

    def try_source_groups(self, said: Mapping[str, Sequence[str]]) -> None:
        pass  # it refuses nobody

    def catch_up(self, reach_index: Callable[[str, tuple[str, ...]], None]) -> None:
        for key, document in self.documents.items():
            if document.status == DocumentStatus.INDEXED and self._indexed[key] != document.groups:
                reach_index(key, document.groups)
                self._indexed[key] = document.groups

    def rename(self, old: str, new: str, titles: tuple[str, str], taken: bool = False) -> None:
        self._said.pop(new, None)
        if old in self._said:
            self._said[new] = self._said[old] if taken else self._said.pop(old)
        for key, document in self.documents.items():
            if document.source == old:
                self.documents[key] = replace(document, source=new)
        if old in self._current:
            self._current[new] = self._current.pop(old)
        edits = self.edited.pop(old, {})
        if "title" in edits and edits["title"].said == titles[0]:
            edits["title"] = replace(edits["title"], said=titles[1])
        self.edited[new] = edits
        self._folders.pop(old, None)
        self._items.pop(old, None)

    def _put(self, document: Document) -> None:
        now = datetime.now(UTC)
        before = self._current.get(document.source)
        if before is not None and before != document.id:
            self._set_status(self.documents[before], DocumentStatus.REPLACED)
        known = self.documents.get(document.id)
        created = known.created_at if known else now
        self._indexed[document.id] = document.groups
        self.documents[document.id] = replace(document, created_at=created, updated_at=now)
        self._current[document.source] = document.id

    def _set_status(self, document: Document, status: DocumentStatus) -> None:
        self.documents[document.id] = replace(document, status=status, updated_at=datetime.now(UTC))
        if self._current.get(document.source) == document.id:
            del self._current[document.source]

    def _put_titles(self, document_id: str, titles: Titles) -> None:
        for name in self._titles.get(document_id, Titles()).names:
            self._bearers[title_key(name)].pop(document_id, None)
        self._titles[document_id] = titles
        for name in titles.names:
            self._bearers.setdefault(title_key(name), {})[document_id] = None

    def _is_indexed(self, document_id: str) -> bool:
        return self.documents[document_id].status == DocumentStatus.INDEXED
