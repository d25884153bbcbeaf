"""Chunks that stand in a store and that its searches by vector do not find: how a store tells of
them and mends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Unfound:
    """Chunks that are there and that no search by vector finds; their ids choose which are looked
    for where not all are."""

    looked_for: int
    ids: tuple[str, ...]


@runtime_checkable
class Mendable(Protocol):
    """A store that may hold such chunks."""

    def unfound(self, most: int | None = None) -> Unfound:
        """Of all chunks, or of so many."""

    def mend(self, ids: Sequence[str]) -> None:
        """Have these chunks, and the others of their documents, found again."""
