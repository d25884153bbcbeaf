"""sources.toml: the folders and sites that a hospital's documents lie in, and what is true of all
documents of each.

[[folder]] path = "/mnt/procedures/icu"        # relative paths count from the file's own folder
department = "Intensieve zorgen"    # any field of metadata.csv but source; a folder's metadata.csv
counts over it exclude = ["oud/*", "*.txt"]        # include and exclude: patterns of paths below
the folder

[[sharepoint]] tables name libraries of SharePoint and people's OneDrives (sharepoint/site.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from rag_api.errors import InvalidInput
from rag_api.ingest.common.described.dates import parse_date
from rag_api.ingest.common.described.metadata import FIELDS, GROUPS
from rag_api.ingest.sharepoint.site import KEYS, Site, site_of
from rag_api.ingest.sources.sources import Skipped, SourceFile, Survey, joined, survey


@dataclass(frozen=True, slots=True)
class Folder:
    path: Path
    given: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceList:
    folders: tuple[Folder, ...] = ()
    sites: tuple[Site, ...] = ()


def survey_list(path: Path, look: Callable[[Site], Survey] | None = None) -> Survey:
    """Look through all folders and sites of a list. look: how to look through a site. Raises
    InvalidInput, SourceUnavailable."""
    found = read_source_list(path)
    if found.sites and look is None:
        raise InvalidInput(f"{path}: SharePoint is read by `bedside ingest --sources` only")
    sites = [look(site) for site in found.sites if look is not None]
    return joined([*(_surveyed(folder) for folder in found.folders), *sites])


def read_source_list(path: Path) -> SourceList:
    """Raises InvalidInput when it cannot be read or says what is not known."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"{path}: cannot be read as TOML ({error})") from error
    tables = {kind: said.get(kind, []) for kind in ("folder", "sharepoint")}
    if set(said) - set(tables) or not any(tables.values()) or not all(_is_tables(found) for found in tables.values()):
        raise InvalidInput(f"{path}: holds [[folder]] and [[sharepoint]] tables, at least one, and nothing else")
    folders = tuple(_folder(path, number, one) for number, one in enumerate(tables["folder"], start=1))
    return SourceList(
        folders, tuple(_site(path, number, one) for number, one in enumerate(tables["sharepoint"], start=1))
    )


def _is_tables(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(one, dict) for one in found)


def _folder(path: Path, number: int, said: Mapping[str, Any]) -> Folder:
    where = f"{path}, folder {number}"
    common = _common(where, said, ("path",))
    if not isinstance(said.get("path"), str):
        raise InvalidInput(f"{where}: needs a path")
    return Folder(path.parent / said["path"], **common)


def _site(path: Path, number: int, said: Mapping[str, Any]) -> Site:
    where = f"{path}, sharepoint {number}"
    return site_of(where, said, path.parent, **_common(where, said, (*KEYS, "secret")))


def _common(where: str, said: Mapping[str, Any], own: Sequence[str]) -> dict[str, Any]:
    """What folders and sites both say: what is true of their documents, and which are wanted."""
    fields = [
        *([] if "tenant" in own else [GROUPS]),
        *(name for name in FIELDS if name != "title"),
    ]  # a site says of each file who reads it
    if unknown := set(said) - {*own, "include", "exclude", *fields}:
        known = ", ".join([name for name in own if name != "secret"] + ["include", "exclude", *fields])
        raise InvalidInput(f"{where}: {', '.join(sorted(unknown))} is not known; {known} are")
    given = {
        name: ";".join(said[name]) if isinstance(said[name], list) else str(said[name])
        for name in fields
        if name in said
    }
    for name in ("valid_from", "valid_until"):
        if name in given and parse_date(given[name]) is None:
            raise InvalidInput(f"{where}: {name} is no date: {given[name]!r} (write 2026-01-31)")
    return {
        "given": given,
        "include": _patterns(where, said, "include", ["*"]),
        "exclude": _patterns(where, said, "exclude", []),
    }


def _patterns(where: str, said: Mapping[str, Any], name: str, default: Sequence[str]) -> tuple[str, ...]:
    patterns = said.get(name, default)
    if not isinstance(patterns, list) or not all(isinstance(one, str) for one in patterns):
        raise InvalidInput(f"{where}: {name} is a list of patterns, such as ['oud/*']")
    return tuple(patterns)


def _surveyed(folder: Folder) -> Survey:
    if not folder.path.is_dir():
        raise InvalidInput(f"{folder.path}: there is no such folder; is it mounted?")
    found = survey([folder.path])
    wanted = [source for source in found.files if _wanted(source, folder)]
    left = sorted(source.name for source in found.files if not _wanted(source, folder))
    excluded = (Skipped("excluded", len(left), tuple(left[:3])),) if left else ()
    files = tuple(replace(source, given={**folder.given, **source.given}) for source in wanted)
    return replace(found, files=files, skipped=(*found.skipped, *excluded))


def _wanted(source: SourceFile, folder: Folder) -> bool:
    return any(fnmatch(source.name, one) for one in folder.include) and not any(
        fnmatch(source.name, one) for one in folder.exclude
    )
