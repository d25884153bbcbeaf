"""The state of a drive between two looks at it. rag_api/db/ingestion/drives.py keeps it in
Postgres, `MemoryDrives` in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from rag_api.domain import RemoteItem


class DrivesRepo(Protocol):
    """Every method is one transaction. Raises DatabaseUnavailable."""

    def lock(self) -> AbstractContextManager[None]:
        """One sync at a time over all processes."""

    def delta_link(self, drive: str) -> str:
        """Where the changes since the last look are; empty before the first."""

    def items(self, drive: str) -> dict[str, RemoteItem]:
        """By id."""

    def put_changes(self, drive: str, items: Mapping[str, RemoteItem], gone: Iterable[str], delta_link: str) -> None:
        """These items are so now and those are gone, all at once with the link that says so."""

    def put(self, drive: str, item: RemoteItem) -> None: ...


class MemoryDrives:
    """A DrivesRepo that forgets."""

    def __init__(self) -> None:
        self._links: dict[str, str] = {}
        self._items: dict[str, dict[str, RemoteItem]] = {}

    def lock(self) -> AbstractContextManager[None]:
        return nullcontext()

    def delta_link(self, drive: str) -> str:
        return self._links.get(drive, "")

    def items(self, drive: str) -> dict[str, RemoteItem]:
        return dict(self._items.get(drive, {}))

    def put_changes(self, drive: str, items: Mapping[str, RemoteItem], gone: Iterable[str], delta_link: str) -> None:
        known = self._items.setdefault(drive, {})
        known |= items
        for item in gone:
            known.pop(item, None)
        self._links[drive] = delta_link

    def put(self, drive: str, item: RemoteItem) -> None:
        self._items.setdefault(drive, {})[item.id] = item
