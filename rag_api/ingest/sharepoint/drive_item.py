"""What Graph tells of a file or folder in a drive, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
    return Version(str(said["id"]), int(said.get("size", 0)), str(said.get("lastModifiedDateTime", "")), level == "checkout")
