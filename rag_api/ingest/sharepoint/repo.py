"""The state of a drive between two looks at it: rag_api/db/ingestion/drives.py keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
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
