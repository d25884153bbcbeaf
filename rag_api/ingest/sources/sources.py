"""Files to ingest, under which names, and where their content is kept."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag_api.domain import Document
from rag_api.errors import InvalidInput, UnreadableDocument, room
from rag_api.ingest.common.described.metadata import GROUPS, groups_in
from rag_api.ingest.common.kinds import SUFFIXES
from rag_api.ingest.sources.objects import digest_url, fetch_url
from rag_api.ingest.sources.sidecar import SIDECAR, Sidecar, read_sidecar

# Of a kind that is read no file is left out: each is named when it cannot be. Others in a folder
# are counted by their kind.
READABLE = tuple(SUFFIXES)
_CLOSED = "folder that cannot be opened"
_REMOTE = "sharepoint:"
UPLOADED = "upload"  # the folder of what came over the API


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Why a file is not read, known before it is: one of UnreadableDocument.REASONS, and a sentence
    that names the file."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to ingest. `name` is what the document is known by; `given` is what a sidecar or an
    upload says of it, by metadata field."""

    name: str
    path: Path
    given: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""  # that it lay in, absolute, or `remote_folder`: `name` is relative to it
    item: str = ""  # its id there, where files have ids: under another name it is still the same document
    notes: tuple[str, ...] = ()  # warnings for the document that is made of it
    problem: FileProblem | None = None
    digest: tuple[str, int] | None = None  # (sha256, bytes) where they are known
    url: str = ""  # where it lies, when that is no path: objects.py fetches it


def groups_said(sources: Iterable[SourceFile]) -> dict[str, tuple[str, ...]]:
    """Who may read documents, by source name, of those of which it is said."""
    return {source.name: groups_in(source.given[GROUPS]) for source in sources if GROUPS in source.given}


@dataclass(frozen=True, slots=True)
class Skipped:
    """Files of one kind that are not read. `kind`: how their names end (".png"), or what they are
    ("hidden", "linked folder")."""

    kind: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies in the folders and files that were given: what to ingest, and what is left
    lying."""

    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...] = ()
    folders: tuple[str, ...] = ()  # absolute; all their documents are among the files
    closed: tuple[str, ...] = ()  # folders in them that could not be opened
    notes: tuple[str, ...] = ()  # what is wrong in a metadata.csv, and costs no document


def remote_folder(drive: str, folder: str) -> str:
    """What stands for a folder that is no path of this machine."""
    return f"{_REMOTE}{drive}/{folder}"


def is_remote(folder: str) -> bool:
    return folder.startswith(_REMOTE) or "://" in folder


def survey(paths: Iterable[Path]) -> Survey:
    """Look through files and folders; names are relative to the folder given. Raises
    InvalidInput."""
    paths = list(paths)
    found: dict[str, SourceFile] = {}
    skipped: dict[str, list[str]] = {}
    notes: list[str] = []
    for path in paths:
        if not path.exists():
            raise InvalidInput(f"{path}: there is no such file or folder")
        for source in (
            _in_folder(path, skipped, notes)
            if path.is_dir()
            else [_source(path.parent, path, read_sidecar(path.parent))]
        ):
            other = found.setdefault(source.name, source)
            if other.path.resolve() != source.path.resolve():
                raise InvalidInput(
                    f"{other.path} and {source.path} would both be called {source.name}: ingest the folder above them"
                )
    left = (Skipped(kind, len(names), tuple(sorted(names)[:3])) for kind, names in sorted(skipped.items()))
    folders = tuple(str(path.resolve()) for path in paths if path.is_dir())
    return Survey(tuple(found.values()), tuple(left), folders, tuple(skipped.get(_CLOSED, ())), tuple(notes))


def joined(surveys: Sequence[Survey]) -> Survey:
    """Raises InvalidInput when two files would have one name."""
    found: dict[str, SourceFile] = {}
    for source in (source for one in surveys for source in one.files):
        other = found.setdefault(source.name, source)
        if (other.folder, other.path.resolve()) != (source.folder, source.path.resolve()):
            raise InvalidInput(
                f"{other.path} and {source.path} would both be called {source.name}: ingest the folder above them"
            )
    skipped: dict[str, Skipped] = {}
    for left in (left for one in surveys for left in one.skipped):
        before = skipped.get(left.kind, Skipped(left.kind, 0, ()))
        skipped[left.kind] = Skipped(left.kind, before.count + left.count, (*before.examples, *left.examples)[:3])
    folders = tuple(folder for one in surveys for folder in one.folders)
    closed = tuple(name for one in surveys for name in one.closed)
    notes = tuple(note for one in surveys for note in one.notes)
    return Survey(tuple(found.values()), tuple(skipped.values()), folders, closed, notes)


def find_sources(paths: Iterable[Path]) -> list[SourceFile]:
    """Return the files to ingest. Raises InvalidInput."""
    return list(survey(paths).files)


def _in_folder(folder: Path, skipped: dict[str, list[str]], notes: list[str]) -> list[SourceFile]:
    def leave(kind: str, path: Path) -> None:
        skipped.setdefault(kind, []).append(plain_name(path.relative_to(folder).as_posix()))

    def closed(error: OSError) -> None:
        leave(_CLOSED, Path(os.fsdecode(error.filename)))

    found = []
    for name, folders, files in os.walk(folder, onerror=closed):
        directory = Path(name)
        for one in [one for one in folders if one.startswith(".") or (directory / one).is_symlink()]:
            leave("hidden folder" if one.startswith(".") else "linked folder", directory / one)
            folders.remove(one)
        wanted = []
        for one in files:
            kind = left_out(one)
            if kind:
                leave(kind, directory / one)
            elif kind is None:
                wanted.append(one)
        sidecar = read_sidecar(directory)
        notes += sidecar.notes(plain_name(one) for one in files)
        found += [_source(folder, directory / one, sidecar) for one in wanted]
    return sorted(found, key=lambda source: source.name)


def left_out(name: str) -> str | None:
    """Return the kind of a file that is not read, None for one that is, and "" for what is no
    document at all."""
    if name == SIDECAR or name.startswith(("~$", ".~lock.")):  # ours, and an office program's sign that a file is open
        return ""
    if name.startswith("."):
        return "hidden"
    suffix = Path(name).suffix.casefold()
    return None if suffix in READABLE else suffix or "without an ending"


def _source(root: Path, path: Path, sidecar: Sidecar) -> SourceFile:
    name, own = plain_name(path.relative_to(root).as_posix()), plain_name(path.name)
    problem = FileProblem("wrong_metadata", f"{name}: {wrong}") if (wrong := sidecar.wrong(own)) else None
    return SourceFile(name, path, sidecar.given(own), str(root.resolve()), problem=problem)


def plain_name(name: str) -> str:
    """A file's name as text: composed accents, and no bytes that are not UTF-8."""
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "replace"))


def sha256_of(source: SourceFile) -> tuple[str, int]:
    """(hex digest, bytes). Raises UnreadableDocument."""
    if source.digest is not None:
        return source.digest
    if source.url:
        return digest_url(source.url, source.name)
    try:
        with source.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size
    except OSError as error:
        raise UnreadableDocument("broken", f"{source.name}: cannot be opened ({error.strerror})") from error


def document_id(name: str, sha256: str) -> str:
    return hashlib.sha256(f"{name}\0{sha256}".encode()).hexdigest()[:32]


def _copy(source: SourceFile, target: Path) -> str:
    """The copy's digest; empty when the source is gone."""
    try:
        if source.url:
            fetch_url(source.url, source.name, target)
        else:
            shutil.copyfile(source.path, target)
    except (FileNotFoundError, PermissionError):
        return ""
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class KeptFiles:
    """The content of every ingested file under data_dir/files, by its hash: what is shown later is
    what was read."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / "files"
        self.folder.mkdir(parents=True, exist_ok=True)

    def keep(self, source: SourceFile, sha256: str) -> Path:
        """Where its content now is; whole or not at all. Raises UnreadableDocument when it changed
        while it was copied."""
        target = self.path(sha256, Path(source.name).suffix)
        if not target.is_file():
            with room():
                self._copy(source, sha256, target)
        return target

    def _copy(self, source: SourceFile, sha256: str, target: Path) -> None:
        handle, name = tempfile.mkstemp(".part", dir=self.folder)  # its own name: two threads may keep the same content
        os.close(handle)
        part = Path(name)
        try:
            if _copy(source, part) != sha256:
                raise UnreadableDocument("broken", f"{source.name}: changed while it was read; ingest it again")
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def path(self, sha256: str, suffix: str) -> Path:
        suffix = suffix.casefold()
        return self.folder / f"{sha256}{suffix if suffix in READABLE else '.bin'}"

    def shown(self, document: Document) -> Path | None:
        """The PDF to show for a document: itself, or its rendering; None when there is none."""
        path = self.path(document.sha256, ".pdf")
        return path if path.is_file() else None

    def clear_parts(self) -> None:
        """What an interrupted run left behind. Only while no other ingestion runs."""
        for part in self.folder.glob("*.part"):
            part.unlink(missing_ok=True)
        for folder in self.folder.glob("office-*"):
            shutil.rmtree(folder, ignore_errors=True)
