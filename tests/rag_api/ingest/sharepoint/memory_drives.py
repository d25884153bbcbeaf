"""A drive's state in memory, as rag_api/db/ingestion/drives.py keeps it in Postgres."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext

from rag_api.domain import RemoteItem


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
