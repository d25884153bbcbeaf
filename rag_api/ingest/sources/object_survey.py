"""A survey of what lies below a URL, looked through as a folder is: names, kinds that are not read,
and what metadata.csv says."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

from rag_api.ingest.sources.objects import fetch_url, list_url
from rag_api.ingest.sources.sidecar import SIDECAR, Sidecar, read_sidecar
from rag_api.ingest.sources.sources import FileProblem, Skipped, SourceFile, Survey, left_out, plain_name


def survey_url(url: str) -> Survey:
    """Names are relative to it. Raises ConfigurationError, SourceUnavailable, InvalidInput."""
    url = url.rstrip("/")
    there = {plain_name(name): address for name, address in list_url(url).items()}
    kinds = {name: "hidden folder" if _is_hidden(name) else left_out(PurePosixPath(name).name) for name in there}
    sidecars = {_folder(name): _sidecar(there[name], name) for name in there if PurePosixPath(name).name == SIDECAR}
    files = tuple(
        _source(url, name, there[name], sidecars.get(_folder(name), Sidecar()))
        for name, kind in kinds.items()
        if kind is None
    )
    skipped: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        if kind:
            skipped.setdefault(kind, []).append(name)
    left = tuple(Skipped(kind, len(names), tuple(names[:3])) for kind, names in sorted(skipped.items()))
    beside = {folder: [PurePosixPath(name).name for name in there if _folder(name) == folder] for folder in sidecars}
    notes = tuple(note for folder, sidecar in sidecars.items() for note in sidecar.notes(beside[folder]))
    return Survey(files, left, (url,), (), notes)


def _sidecar(address: str, name: str) -> Sidecar:
    with tempfile.TemporaryDirectory(prefix="bedside-") as kept:
        fetch_url(address, name, Path(kept) / SIDECAR)
        return read_sidecar(Path(kept)).at(address)


def _source(url: str, name: str, address: str, sidecar: Sidecar) -> SourceFile:
    own = PurePosixPath(name).name
    problem = FileProblem("wrong_metadata", f"{name}: {wrong}") if (wrong := sidecar.wrong(own)) else None
    return SourceFile(name, Path(name), sidecar.given(own), url, problem=problem, url=address)


def _folder(name: str) -> str:
    return str(PurePosixPath(name).parent)


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in PurePosixPath(name).parts[:-1])
