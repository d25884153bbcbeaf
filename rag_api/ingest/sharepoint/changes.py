"""Changes in a drive since the last look, by a delta query, put into what is known of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from rag_api.domain import RemoteItem
from rag_api.ingest.sharepoint.client import GraphClient, GraphRefused
from rag_api.ingest.sharepoint.drive_item import DriveItem, below_of, drive_item
from rag_api.ingest.sharepoint.repo import DrivesRepo

# Items are told when who may read them changed, too; and folders only when something about
# themselves did.
_HEADERS = {
    "Prefer": "deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges",
    "deltaExcludeParent": "true",
}
_GONE = 410


@dataclass(frozen=True, slots=True)
class Changes:
    """`whole`: these are all items that there are, for the last link was too old to go on from."""

    items: Mapping[str, DriveItem]
    delta_link: str
    whole: bool


def take_changes(client: GraphClient, repo: DrivesRepo, drive: str) -> dict[str, RemoteItem]:
    """Ask what changed, keep it, and return all items. Raises Refused, SourceUnavailable."""
    known = repo.items(drive)
    changes = _changes(client, drive, repo.delta_link(drive))
    changed = {item.id: _known_now(known.get(item.id), item) for item in changes.items.values() if not item.deleted}
    gone = {item.id for item in changes.items.values() if item.deleted}
    if changes.whole:
        gone |= known.keys() - changed.keys()
    after = {key: item for key, item in (known | changed).items() if key not in gone}
    folders = {item.id for item in changed.values() if item.is_folder and item.parent}
    # told every time, whether it changed or not
    for root in [item for item in changed.values() if item.is_folder and not item.parent]:
        grants = _grants(client, drive)
        changed[root.id] = after[root.id] = replace(root, version=grants)
        folders |= {root.id} if root.id not in known or known[root.id].version != grants else set()
    for key in below_of(after, folders) - changed.keys():  # what a folder grants, its files grant
        changed[key] = after[key] = replace(after[key], permit=True)
    repo.put_changes(drive, changed, gone, changes.delta_link)
    return after


def _grants(client: GraphClient, drive: str) -> str:
    """A digest of what the library itself grants; empty where that is not told, as then of no
    file."""
    try:
        said = client.values(f"drives/{drive}/root/permissions")
    except GraphRefused:
        return ""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _changes(client: GraphClient, drive: str, link: str) -> Changes:
    start = f"drives/{drive}/root/delta"
    try:
        return _collected(client, link or start, whole=not link)
    except GraphRefused as refused:
        if refused.status != _GONE:
            raise
        return _collected(client, refused.location or start, whole=True)


def _collected(client: GraphClient, link: str, whole: bool) -> Changes:
    """Of an item that is told twice the last counts."""
    items: dict[str, DriveItem] = {}
    delta = ""
    for page in client.pages(link, _HEADERS):
        for said in page.get("value", ()):
            item = drive_item(said)
            items[item.id] = item
        delta = str(page.get("@odata.deltaLink", ""))
    return Changes(items, delta, whole)


def _known_now(known: RemoteItem | None, item: DriveItem) -> RemoteItem:
    """What was downloaded of it stays known: it may be the same content under another name."""
    before = known or RemoteItem(item.id, "", "", False)
    parent = "" if item.is_root else item.parent
    return replace(
        before, parent=parent, name=item.name, is_folder=item.is_folder, is_package=item.is_package, look=True, permit=True
    )  # fmt: skip
