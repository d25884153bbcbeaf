"""The names of a drive's files, from the names of the folders that they lie in: a delta query tells no paths. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import PurePosixPath

from rag_api.domain import RemoteItem


def paths_of(items: Mapping[str, RemoteItem], below: str) -> dict[str, str]:
    """The path of each file below a folder ("": of all), relative to it, by item id."""
    inside = PurePosixPath(below.casefold()).parts
    found = {}
    for item in items.values():
        parts = _parts(items, item)
        if not item.is_folder and parts and tuple(part.casefold() for part in parts[: len(inside)]) == inside and len(parts) > len(inside):
            found[item.id] = unicodedata.normalize("NFC", "/".join(parts[len(inside) :]))
    return found


def below_of(items: Mapping[str, RemoteItem], folders: set[str]) -> set[str]:
    """The files that lie in one of these folders, however deep."""
    return {item.id for item in items.values() if not item.is_folder and folders & _ancestors(items, item)}


def _parts(items: Mapping[str, RemoteItem], item: RemoteItem) -> tuple[str, ...]:
    """Empty when a folder above it is not known: then it is in no place."""
    parts = [item.name]
    seen = {item.id}
    while item.parent:
        if item.parent not in items or item.parent in seen:
            return ()
        item = items[item.parent]
        seen.add(item.id)
        if item.parent:  # the root has no name of its own
            parts.append(item.name)
    return tuple(reversed(parts))


def _ancestors(items: Mapping[str, RemoteItem], item: RemoteItem) -> set[str]:
    found: set[str] = set()
    while item.parent and item.parent in items and item.parent not in found:
        found.add(item.parent)
        item = items[item.parent]
    return found
