"""A file or folder in a drive as Graph tells it, as values, and the paths of files: a delta query
tells none."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from rag_api.domain import RemoteItem


@dataclass(frozen=True, slots=True)
class DriveItem:
    """As a delta query tells it: by id, without a path, the parents' names make that."""

    id: str
    name: str
    parent: str
    is_folder: bool
    is_root: bool
    deleted: bool
    is_package: bool  # a notebook: neither file nor folder


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it stands now. `moderation`: 0 approved, None where nobody approves."""

    size: int
    quick_xor: str
    sha256: str
    version: str  # that this application sees
    checked_out: bool
    moderation: int | None
    malware: bool


@dataclass(frozen=True, slots=True)
class Version:
    id: str
    size: int
    modified: str
    checked_out: bool


def drive_item(said: Mapping[str, Any]) -> DriveItem:
    return DriveItem(
        id=str(said["id"]),
        name=str(said.get("name", "")),
        parent=str(said.get("parentReference", {}).get("id", "")),
        is_folder="folder" in said or "root" in said,
        is_root="root" in said,
        deleted="deleted" in said,
        is_package="package" in said,
    )


def file_state(said: Mapping[str, Any]) -> FileState:
    publication = said.get("publication") or {}
    hashes = (said.get("file") or {}).get("hashes") or {}
    fields = (said.get("listItem") or {}).get("fields") or {}
    moderation = str(fields.get("_ModerationStatus", ""))
    return FileState(
        size=int(said.get("size", 0)),
        quick_xor=str(hashes.get("quickXorHash", "")),
        sha256=str(hashes.get("sha256Hash", "")).lower(),
        version=str(publication.get("versionId", "")),
        checked_out=publication.get("level") == "checkout",
        moderation=int(moderation) if moderation.isdigit() else None,
        malware="malware" in said,
    )


def version(said: Mapping[str, Any]) -> Version:
    level = (said.get("publication") or {}).get("level")
    return Version(
        str(said["id"]), int(said.get("size", 0)), str(said.get("lastModifiedDateTime", "")), level == "checkout"
    )


def paths_of(items: Mapping[str, RemoteItem], below: str) -> dict[str, str]:
    """The path of each file below a folder ("": of all), relative to it, by item id."""
    inside = PurePosixPath(below.casefold()).parts
    found = {}
    for item in items.values():
        parts = _parts(items, item)
        if (
            not item.is_folder
            and parts
            and tuple(part.casefold() for part in parts[: len(inside)]) == inside
            and len(parts) > len(inside)
        ):
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
