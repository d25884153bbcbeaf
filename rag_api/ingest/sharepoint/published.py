"""The published version of a file: a major one ("3.0") that nobody has checked out and that nobody
still has to approve. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag_api.ingest.sharepoint.drive_item import FileState, Version

DRAFT, CHECKED_OUT, NOT_APPROVED = "draft never published", "checked out, never checked in", "waiting for approval"
_MAJOR = re.compile(r"[1-9]\d*\.0")
_APPROVED = 0


@dataclass(frozen=True, slots=True)
class Published:
    """`current`: it is what the file holds now, else an older version of it; `why_not` where
    nothing is published."""

    version: str = ""
    current: bool = False
    size: int = 0
    modified: str = ""
    why_not: str = ""

    @property
    def key(self) -> str:
        """The same as before: the same content."""
        return f"{self.version} {self.size} {self.modified}"


def published(state: FileState, versions: Sequence[Version]) -> Published:
    """versions: newest first. Of a drive that keeps no versions (none are told) what it holds is
    what is published."""
    if state.moderation not in (None, _APPROVED):
        return Published(why_not=NOT_APPROVED)
    if not versions:
        return Published(why_not=CHECKED_OUT) if state.checked_out else Published("", True, state.size)
    for place, version in enumerate(versions):
        if _MAJOR.fullmatch(version.id) and not version.checked_out:
            current = version.id == state.version if state.version else place == 0
            return Published(version.id, current, version.size, version.modified)
    return Published(why_not=CHECKED_OUT if state.checked_out else DRAFT)
