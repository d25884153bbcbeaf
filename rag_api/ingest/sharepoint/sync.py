"""sync(): one look at a drive, as the list of its steps; what it holds, as a folder's survey."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatch
from pathlib import PurePosixPath
from urllib.parse import quote

from rag_api.domain import RemoteItem
from rag_api.errors import SourceUnavailable
from rag_api.ingest.common.described.metadata import GROUPS
from rag_api.ingest.common.notes import recognised
from rag_api.ingest.sharepoint.changes import take_changes
from rag_api.ingest.sharepoint.client import GraphClient, GraphRefused
from rag_api.ingest.sharepoint.drive_item import paths_of
from rag_api.ingest.sharepoint.fetch import SharePointFetcher
from rag_api.ingest.sharepoint.repo import DrivesRepo
from rag_api.ingest.sharepoint.site import Site
from rag_api.ingest.sources.sources import FileProblem, KeptFiles, Skipped, SourceFile, Survey, left_out, remote_folder

NOBODY = "nobody"  # a group without members: a document that is not known to be for anyone was perhaps for all before
_AT_ONCE = 4  # files looked at side by side
_PERMITTED_FOR = timedelta(hours=24)  # a change of permissions that no delta query told is found after so long


def sync(site: Site, client: GraphClient, repo: DrivesRepo, files: KeptFiles, max_file_mb: float) -> Survey:
    """Bring what is known of a drive up to date. Raises SourceUnavailable with what to do."""
    with repo.lock():
        drive = drive_of(client, site)
        items = _changed(client, repo, site, drive)
        paths = paths_of(items, site.folder)
        wanted = {key: path for key, path in paths.items() if _why_not(site, items[key], path) is None}
        look = SharePointFetcher(client, site, drive, files, int(max_file_mb * (1 << 20)))
        items |= _looked_at(look, repo, drive, [items[key] for key in wanted if _is_due(items[key], look)])
        gone = {key for key in wanted if items[key].name == ""}
        return _survey(site, drive, files, items, {key: path for key, path in paths.items() if key not in gone})


def drive_of(client: GraphClient, site: Site) -> str:
    """The id of a site's library, or of somebody's OneDrive. Raises SourceUnavailable."""
    try:
        if site.user:
            return str(client.get(f"users/{quote(site.user)}/drive")["id"])
        host, _, path = site.site.partition("/")
        found = str(client.get(f"sites/{host}:/{quote(path)}" if path else f"sites/{host}")["id"])
        if not site.library:
            return str(client.get(f"sites/{found}/drive")["id"])
        drives = client.values(f"sites/{found}/drives")
    except GraphRefused as refused:
        raise _no_access(site, refused) from refused
    for drive in drives:
        if str(drive.get("name", "")).casefold() == site.library.casefold():
            return str(drive["id"])
    names = ", ".join(str(drive.get("name")) for drive in drives) or "none"
    raise SourceUnavailable(f"SharePoint: {site.name} has no library {site.library!r}; it has {names}.")


def _no_access(site: Site, refused: GraphRefused) -> SourceUnavailable:
    if refused.status == 404:
        return SourceUnavailable(
            f"SharePoint: there is no {site.name}; is its address right (https://HOST.sharepoint.com/sites/NAME)?"
        )
    if refused.status in (401, 403):
        return SourceUnavailable(
            f"SharePoint: the application has no access to {site.name}. An administrator consents to Sites.Selected "
            f"(Entra, API "
            "permissions, application) and grants it this site (POST /sites/{id}/permissions) with the role "
            "fullcontrol: others "
            "are not told who may read."
        )
    return SourceUnavailable(f"SharePoint: {site.name} cannot be read ({refused.status} {refused.code}).")


def _changed(client: GraphClient, repo: DrivesRepo, site: Site, drive: str) -> dict[str, RemoteItem]:
    try:
        return take_changes(client, repo, drive)
    except GraphRefused as refused:
        raise _no_access(site, refused) from refused


def _why_not(site: Site, item: RemoteItem, path: str) -> str | None:
    """Of what kind a file is that is not even looked at: "excluded", ".png"; "" for what is no
    document; None where it is looked at."""
    if item.is_package:
        return "notebook"
    if not any(fnmatch(path, one) for one in site.include) or any(fnmatch(path, one) for one in site.exclude):
        return "excluded"
    return left_out(PurePosixPath(path).name)


def _is_due(item: RemoteItem, look: SharePointFetcher) -> bool:
    old = item.permitted_at is None or datetime.now(UTC) - item.permitted_at > _PERMITTED_FOR
    return item.look or item.permit or (old and not item.left_out) or look.lost(item)


def _looked_at(
    look: SharePointFetcher, repo: DrivesRepo, drive: str, due: Iterable[RemoteItem]
) -> Mapping[str, RemoteItem]:
    """Each is kept as soon as it is known. One that went meanwhile has no name any more: the next
    look is told so."""

    def one(item: RemoteItem) -> RemoteItem:
        try:
            known = look.at(replace(item, permit=True))
        except GraphRefused as refused:
            if refused.status in (401, 403):
                known = replace(
                    item,
                    reason="not_permitted",
                    message=f"cannot be opened ({refused.status} {refused.code})",
                    look=True,
                )
            elif refused.status == 404:
                return replace(item, name="")
            else:
                known = replace(
                    item, reason="broken", message=f"cannot be looked at ({refused.status} {refused.code})", look=True
                )
        repo.put(drive, known)
        return known

    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="sharepoint") as pool:
        return {item.id: item for item in pool.map(one, due)}


def _survey(
    site: Site, drive: str, files: KeptFiles, items: Mapping[str, RemoteItem], paths: Mapping[str, str]
) -> Survey:
    folder = remote_folder(drive, site.folder)
    found, skipped = [], dict[str, list[str]]()
    for key, path in sorted(paths.items(), key=lambda pair: pair[1]):
        item = items[key]
        why = _why_not(site, item, path)
        why = why if why is not None else item.left_out or None
        if why is None:
            found.append(_source(site, folder, files, item, path))
        elif why:
            skipped.setdefault(why, []).append(path)
    left = tuple(Skipped(kind, len(names), tuple(names[:3])) for kind, names in sorted(skipped.items()))
    return Survey(tuple(found), left, (folder,))


def _source(site: Site, folder: str, files: KeptFiles, item: RemoteItem, path: str) -> SourceFile:
    kept = files.path(item.sha256, PurePosixPath(item.name).suffix)
    problem = FileProblem(item.reason, f"{path}: {item.message}") if item.reason else None
    return SourceFile(
        path, kept, {**site.given, GROUPS: ";".join(item.groups) or NOBODY}, folder, item=item.id, problem=problem,
        notes=tuple(map(recognised, item.notes)), digest=(item.sha256, item.size),
    )  # fmt: skip
