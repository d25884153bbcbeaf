"""sources.toml: the folders that a hospital's documents lie in, and what is true of all documents of each.

[[folder]]
path = "/mnt/procedures/icu"        # relative paths count from the file's own folder
department = "Intensieve zorgen"    # any field of metadata.csv but source; a folder's metadata.csv counts over it
groups = ["intensive-care"]         # who may read them; without it: who the department, or BEDSIDE_DEFAULT_GROUPS, names
exclude = ["oud/*", "*.txt"]        # include and exclude: patterns of paths below the folder
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from rag_api.errors import InvalidInput
from rag_api.ingest.metadata import FIELDS, GROUPS, parse_date
from rag_api.ingest.sources import Skipped, SourceFile, Survey, joined, survey


@dataclass(frozen=True, slots=True)
class Folder:
    path: Path
    given: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()


def survey_list(path: Path) -> Survey:
    """Look through all folders of a list. Raises InvalidInput."""
    return joined([_surveyed(folder) for folder in read_source_list(path)])


def read_source_list(path: Path) -> list[Folder]:
    """Raises InvalidInput when it cannot be read or says what is not known."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"{path}: cannot be read as TOML ({error})") from error
    folders = said.get("folder")
    if set(said) != {"folder"} or not isinstance(folders, list) or not folders:
        raise InvalidInput(f"{path}: holds [[folder]] tables, at least one, and nothing else")
    return [_folder(path, number, one) for number, one in enumerate(folders, start=1)]


def _folder(path: Path, number: int, said: Mapping[str, Any]) -> Folder:
    where = f"{path}, folder {number}"
    fields = [GROUPS, *(name for name in FIELDS if name != "title")]
    if unknown := set(said) - {"path", "include", "exclude", *fields}:
        raise InvalidInput(f"{where}: {', '.join(sorted(unknown))} is not known; path, include, exclude, {', '.join(fields)} are")
    if not isinstance(said.get("path"), str):
        raise InvalidInput(f"{where}: needs a path")
    given = {name: ";".join(said[name]) if isinstance(said[name], list) else str(said[name]) for name in fields if name in said}
    for name in ("valid_from", "valid_until"):
        if name in given and parse_date(given[name]) is None:
            raise InvalidInput(f"{where}: {name} is no date: {given[name]!r} (write 2026-01-31)")
    include, exclude = _patterns(where, said, "include", ["*"]), _patterns(where, said, "exclude", [])
    return Folder(path.parent / said["path"], given, include, exclude)


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
    return any(fnmatch(source.name, one) for one in folder.include) and not any(fnmatch(source.name, one) for one in folder.exclude)
