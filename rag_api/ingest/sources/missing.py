"""Files that were ingested from a folder and are no longer there: withdrawn, moved, or a folder
that is not mounted. Pure.

A withdrawn procedure that keeps answering is dangerous, and so is a slip that takes out the whole
collection: what is missing is named, and more than a tenth of a folder is only retired when someone
says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from rag_api.domain import Document
from rag_api.errors import TooManyMissing
from rag_api.ingest.sources.sources import UPLOADED, SourceFile, Survey, is_remote

Known = Mapping[str, Document]  # the current documents, by source
FolderOf = Mapping[str, str]  # the folder that each was ingested from, by source
_MOST = 10  # one in so many may be missing without anybody being asked


def missing_of(known: Known, placed: FolderOf, survey: Survey) -> list[Document]:
    """Return the documents that came from the surveyed folders and are not in them. Those of which
    nobody knows where they came from count too; those below a folder that could not be opened do
    not."""
    names = {file.name for file in survey.files}
    folders = {*survey.folders, *_moved_folders(known, placed, survey, names)}
    return [
        document
        for source, document in sorted(known.items())
        if survey.folders
        and source not in names
        and (source not in placed or placed[source] in folders)
        and not any(source.startswith(f"{closed}/") for closed in survey.closed)
    ]


def _moved_folders(known: Known, placed: FolderOf, survey: Survey, names: set[str]) -> set[str]:
    """Return the folders of which at least half now lies in the surveyed ones: the same collection
    in another place."""
    found: dict[str, list[bool]] = defaultdict(list)
    for source, folder in placed.items():
        if source in known and folder != UPLOADED and folder not in survey.folders:
            found[folder].append(source in names)
    return {folder for folder, here in found.items() if sum(here) * 2 >= len(here)}


def refuse_many(missing: Iterable[Document], known: Known, survey: Survey) -> None:
    """Raises TooManyMissing when retiring these looks like a slip, or when no folder was given to
    miss anything in."""
    if not survey.folders:
        raise TooManyMissing("--retire-missing needs the folder that documents are missing from, not files.")
    gone = len(list(missing))
    names = {file.name for file in survey.files}
    whole = gone + sum(source in names for source in known)
    where = ", ".join(survey.folders)
    if not gone:
        return
    if not survey.files:
        raise TooManyMissing(
            f"{where} holds no documents: is it mounted? Nothing was retired; with --yes all {gone} of it are."
        )
    if gone * _MOST > whole:
        raise TooManyMissing(
            f"{gone} of {whole} documents are missing from {where}, more than a tenth: is it the right folder, and all "
            f"of it? "
            "Nothing was retired; with --yes they are."
        )


def renamed_items(known: Known, placed: FolderOf, items: Mapping[str, str], survey: Survey) -> dict[str, str]:
    """Return new name -> old name of files that are known by their id. items: by source, the id
    that its file had in its folder."""
    before = {
        (placed[source], item): source
        for source, item in items.items()
        if item and source in placed and source in known
    }
    renamed = {}
    for file in survey.files:
        old = before.get((file.folder, file.item)) if file.item else None
        if old is not None and old != file.name:
            renamed[file.name] = old
    return renamed


def in_turn(renamed: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return steps (old, new) that never meet a name still taken by one of them; names that go in a
    circle go by a third one."""
    left, steps = dict(renamed), []
    while left:
        olds = set(left.values())
        free = [new for new in left if new not in olds]
        if free:
            steps += [(left.pop(new), new) for new in free]
        else:
            new, old = next(iter(left.items()))
            steps.append((old, f"{old}\x1fmoved"))
            left[new] = f"{old}\x1fmoved"
    return steps


def renamed_of(
    known: Known, placed: FolderOf, survey: Survey, missing: Iterable[Document], digest: Callable[[SourceFile], str]
) -> dict[str, str]:
    """Return new name -> old name of files that were moved or renamed: new ones with the content of
    one that is gone, or of one whose name another file has now ("protocol.pdf" became
    "protocol-oud.pdf", and there is a new "protocol.pdf")."""
    new = sorted((file for file in survey.files if file.name not in known), key=lambda file: file.name)
    if not new or not known:
        return {}
    gone: dict[str, list[str]] = defaultdict(list)
    for document in [
        *missing,
        *_elsewhere(known, placed, survey),
        *_ousted(known, placed, survey, {digest(file) for file in new}, digest),
    ]:
        gone[document.sha256].append(document.source)
    renamed: dict[str, str] = {}
    for file in new if gone else ():
        if candidates := [old for old in gone.get(digest(file), ()) if _ending(old) == _ending(file.name)]:
            old = min(candidates, key=lambda old: (PurePosixPath(old).name != PurePosixPath(file.name).name, old))
            renamed[file.name] = old
            for sources in gone.values():
                while old in sources:
                    sources.remove(old)
    return renamed


def _elsewhere(known: Known, placed: FolderOf, survey: Survey) -> Iterable[Document]:
    """Yield the documents of other folders whose file is no longer there."""
    for source, folder in placed.items():
        here = folder == UPLOADED or is_remote(folder) or folder in survey.folders
        if not here and source in known and not (Path(folder) / source).exists():
            yield known[source]


def _ousted(
    known: Known, placed: FolderOf, survey: Survey, wanted: Collection[str], digest: Callable[[SourceFile], str]
) -> Iterable[Document]:
    """Yield the documents of one of these contents whose file under their name holds something else
    now."""
    files = {file.name: file for file in survey.files}
    for source, document in known.items():
        file = files.get(source)
        if file is None or document.sha256 not in wanted or placed.get(source, file.folder) != file.folder:
            continue
        if digest(file) not in ("", document.sha256):
            yield document


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.casefold()
