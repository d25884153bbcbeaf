"""`renew`: a new downtime pack in the place of the one that is there, as a nightly job makes it. It
is made and asked beside it; where that fails, the one that is there stays."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rag_api.container import Container
from rag_api.domain import Judged
from rag_api.upkeep.backup import finishing
from rag_api.upkeep.pack.checking import PackCheck, Tell, compare
from rag_api.upkeep.pack.last_check import note, noted_error
from rag_api.upkeep.pack.making import PackOrder, Say, make
from rag_api.upkeep.pack.manifest import PackManifest, read_private


def renew(
    container: Container,
    folder: Path,
    order: PackOrder,
    questions: Sequence[Judged],
    key_file: Path,
    say: Say,
    tell: Tell,
) -> tuple[PackManifest, PackCheck]:
    """Note what came of it. One that answers otherwise than this server takes the place all the
    same: it is newer. Raises InvalidInput, Unavailable."""
    data_dir = container.settings.data_dir
    with noted_error(data_dir, folder, len(questions)), in_place_of(folder) as made_in:
        made = make(container, made_in, order, read_private(key_file), say, tell)
        say(f"Asking it {len(questions)} questions.")
        found = compare(container, made_in, questions, key_file, tell)
    note(data_dir, folder, found.asked, tuple(one.id for one in found.differing))
    return made, found


@contextmanager
def in_place_of(folder: Path) -> Iterator[Path]:
    """Beside `folder`, a path that takes its place when nothing was raised."""
    new, former = (folder.with_name(f"{folder.name}.{kind}") for kind in ("new", "former"))
    with finishing("pack", folder):
        if former.exists() and not folder.exists():  # it was ended between the two renamings
            former.rename(folder)
        for leftover in (new, former):
            _remove(leftover)
    try:
        yield new
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    with finishing("pack", folder):
        if folder.exists():
            folder.rename(former)
        new.rename(folder)
        _remove(former)


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
