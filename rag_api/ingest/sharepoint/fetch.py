"""Fetch of one file that changed: which version is published, its content, who may read it."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from rag_api.domain import RemoteItem
from rag_api.ingest.sharepoint.client import Downloaded, GraphClient, GraphRefused
from rag_api.ingest.sharepoint.drive_item import FileState, file_state, version
from rag_api.ingest.sharepoint.permissions import readers
from rag_api.ingest.sharepoint.published import NOT_APPROVED, Published, published
from rag_api.ingest.sharepoint.site import Site
from rag_api.ingest.sources.sources import KeptFiles

_FIELDS = "$select=id,name,size,file,publication,malware&$expand=listItem($expand=fields($select=_ModerationStatus))"


@dataclass(frozen=True, slots=True)
class SharePointFetcher:
    """What every look needs. `most`: bytes of one file."""

    client: GraphClient
    site: Site
    drive: str
    files: KeptFiles
    most: int

    def at(self, item: RemoteItem) -> RemoteItem:
        """The item as it is known afterwards. Raises SourceUnavailable; Refused when it is no
        longer there (404)."""
        item = replace(item, reason="", message="")
        if item.look or self.lost(item):
            item = self._content(replace(item, left_out=""))
        if item.permit and not item.left_out and not item.reason:
            item = self._permissions(item)
        return item

    def lost(self, item: RemoteItem) -> bool:
        """What was downloaded of it is no longer there."""
        return not item.left_out and not self._kept(item).is_file()

    def _content(self, item: RemoteItem) -> RemoteItem:
        said = self.client.get(f"{self._path(item)}?{_FIELDS}")
        state = file_state(said)
        if state.malware:
            return replace(item, reason="broken", message="SharePoint found malware in it", look=False)
        found = published(state, [version(one) for one in self._versions(item)])
        if found.why_not:
            return self._unpublished(item, found)
        if found.key == item.version and self._kept(item).is_file():
            return replace(item, look=False)
        return self._downloaded(item, state, found)

    def _unpublished(self, item: RemoteItem, found: Published) -> RemoteItem:
        """What was approved before stays until the new version is."""
        if found.why_not == NOT_APPROVED and item.sha256 and self._kept(item).is_file():
            return replace(item, look=False)
        return replace(item, look=False, left_out=found.why_not, sha256="", version="", size=0)

    def _downloaded(self, item: RemoteItem, state: FileState, found: Published) -> RemoteItem:
        if found.size > self.most:
            return replace(item, reason="too_large", message=f"{found.size / (1 << 20):.1f} MB", look=False)
        path = (
            f"{self._path(item)}/content" if found.current else f"{self._path(item)}/versions/{found.version}/content"
        )
        handle, part = tempfile.mkstemp(".part", dir=self.files.folder)
        os.close(handle)
        target = Path(part)
        try:
            got = self.client.download(path, target, self.most)
            sha256 = _sha256(target)
            if wrong := _wrong(got, sha256, state, found):
                return replace(
                    item, reason="broken", message=f"{wrong}; it is downloaded again in the next run", look=True
                )
            known = replace(item, sha256=sha256, size=got.bytes, version=found.key, look=False)
            os.replace(target, self._kept(known))
            return known
        except GraphRefused as refused:
            if refused.status == 404:
                raise
            if refused.code == "tooLarge":
                return replace(item, reason="too_large", message="larger than SharePoint said", look=False)
            message = f"cannot be downloaded ({refused.status} {refused.code}); the next run tries again"
            return replace(item, reason="broken", message=message, look=True)
        finally:
            target.unlink(missing_ok=True)

    def _permissions(self, item: RemoteItem) -> RemoteItem:
        """Not indexed unless somebody is known who may read it."""
        try:
            said = self.client.values(f"{self._path(item)}/permissions")
        except GraphRefused as refused:
            if refused.status == 404:
                raise
            what = f"its permissions cannot be read ({refused.status} {refused.code})"
            return replace(item, groups=(), reason="not_permitted", message=what, permit=True)
        found = readers(said, self.site.group_names)
        item = replace(item, groups=found.groups, notes=found.notes(), permit=False, permitted_at=datetime.now(UTC))
        if not found.groups:
            why = (
                "; ".join(found.notes())
                or "none of its permissions was told: the application needs the role fullcontrol on the site"
            )
            return replace(
                item,
                reason="not_permitted",
                message=f"nobody here may read it: it {why}" if found.notes() else why,
                permit=True,
            )
        return item

    def _versions(self, item: RemoteItem) -> Sequence[dict[str, object]]:
        try:
            return self.client.values(f"{self._path(item)}/versions")
        except GraphRefused as refused:
            if refused.status in (400, 501):  # a drive that keeps none
                return ()
            raise

    def _path(self, item: RemoteItem) -> str:
        return f"drives/{self.drive}/items/{item.id}"

    def _kept(self, item: RemoteItem) -> Path:
        return self.files.path(item.sha256 or "none", PurePosixPath(item.name).suffix)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _wrong(got: Downloaded, sha256: str, state: FileState, found: Published) -> str:
    """The service tells hashes of what a file holds now, of older versions the size only."""
    if found.current and state.sha256:
        return "" if state.sha256 == sha256 else "its SHA-256 is another than SharePoint says"
    if found.current and state.quick_xor:
        return "" if state.quick_xor == got.quick_xor else "its hash is another than SharePoint says"
    return "" if got.bytes == found.size else f"{got.bytes} bytes came of {found.size}"
