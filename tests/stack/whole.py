"""Faults of the stack as a whole: down and up, in any order too, an upgrade, a backup into an empty
stack, a disk that is full."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.faults.disk import fill
from tests.faults.installation import HANDBOOK
from tests.faults.matrix import Cell
from tests.faults.services import HELD, Service
from tests.stack.engine.machine import Failed
from tests.stack.stack import ROOT, Stack

DISKS = {"postgres": "postgres", "weaviate": "weaviate", "rag_api": "files"}  # the volume that each of them writes to
SIZE = "700M"
LARGEST = 1_000_000_000  # bytes of a disk that may be filled
PREVIOUS = "previous"


def asked_about(stack: Stack) -> Path:
    """The documents of the sample handbook that readers ask about here."""
    folder = stack.folder / "documents" / "handbook"
    folder.mkdir(parents=True, exist_ok=True)
    for name in HANDBOOK:
        shutil.copy(ROOT / "rag_api" / "handbook" / "pdf" / name, folder)
    return folder


def whole(stack: Stack, cell: Cell) -> Cell:
    """Everything ends and comes back: what it held is there, once, and it answers."""
    began = time.monotonic()
    before = WHOLE[cell.fault](stack)
    seconds = round(time.monotonic() - began)
    answer = stack.ask() if stack.generator else stack.ask(mode="sources")
    after = held(stack)
    wrong = [
        f"{name}: {before[name]} before, {after[name]} after"
        for name in before
        if after[name] != before[name] + (name == "answers")
    ]
    wrong += [] if answer["sources"] else ["nothing is found"]
    wrong += [f"the question is {answer['status']}"] if stack.generator and answer["status"] != "answered" else []
    return replace(cell, figures=before | {"seconds": seconds}, wrong=tuple(wrong))


def held(stack: Stack) -> dict[str, int]:
    kept = ("documents", "answers", "users")
    found = {name: int(str(stack.query(f"select count(*) from {name}")[0][0])) for name in kept}
    with stack.index() as store:
        return found | {"indexed": len(store.document_ids())}


def _down_and_up(stack: Stack) -> dict[str, int]:
    before = held(stack)
    stack.containers.remove(volumes=False)
    stack.start()
    return before


def _in_order(stack: Stack, order: list[str]) -> dict[str, int]:
    """New containers that nobody makes wait for each other, as after a power failure."""
    before = held(stack)
    stack.containers.remove(volumes=False)
    stack.start(order=order)
    return before


def _in_reverse(stack: Stack) -> dict[str, int]:
    return _in_order(stack, stack.active[::-1])


def _at_random(stack: Stack, seed: int) -> dict[str, int]:
    return _in_order(stack, random.Random(seed).sample(stack.active, len(stack.active)))


def _emptied(stack: Stack) -> None:
    """No container, and nothing in any volume: one on a disk of its own gets a new one."""
    stack.containers.remove(volumes=True)
    for disk in stack.disks.values():
        disk.unlink()
    stack.disks = small_disks(stack) if stack.disks else {}


def _restored(stack: Stack) -> dict[str, int]:
    """A backup of the filled stack into an empty one."""
    backups = stack.folder / "backups"
    shutil.rmtree(backups, ignore_errors=True)
    backups.mkdir()
    os.chown(backups, 10001, 10001)
    before = held(stack)
    stack.upkeep("backup", backups)
    _emptied(stack)
    stack.start(("rag_api", "nginx"))
    stack.upkeep("restore", backups)
    stack.start()
    return before


def _upgraded(stack: Stack) -> dict[str, int]:
    """From the images of an earlier commit, with what they stored."""
    _emptied(stack)
    (stack.folder / "key").unlink(missing_ok=True)
    earlier = replace(stack, checkout=checked_out(stack.previous), tag=PREVIOUS, generator=False)
    earlier.build()
    earlier.start()
    earlier.ingest(asked_about(stack))
    earlier.accounts()
    earlier.ask(mode="sources")
    before = held(earlier)
    stack.start()
    return before


WHOLE: dict[str, Callable[[Stack], dict[str, int]]] = {
    "down and up": _down_and_up,
    "up in reverse order": _in_reverse,
    "up in a random order": partial(_at_random, seed=1),
    "up in another one": partial(_at_random, seed=2),
    "restore": _restored,
    "upgrade": _upgraded,
}


def checked_out(commit: str) -> Path:
    """The files of an earlier commit, in build/."""
    folder = ROOT / "build" / f"at-{commit[:12]}"
    if not folder.exists():
        folder.mkdir(parents=True)
        packed = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return folder


@contextmanager
def full(stack: Stack, service: Service) -> Iterator[None]:
    """The disk of its volume has no byte left. Raises Failed where that would be this machine's own
    disk."""
    folder = stack.containers.folder_of(DISKS[service.name])
    if folder.stat().st_dev == stack.folder.stat().st_dev or shutil.disk_usage(folder).total > LARGEST:
        raise Failed(f"The volume {folder} is on no small disk of its own: nothing is filled.")
    ballast = fill(folder)
    try:
        yield
        time.sleep(HELD)
    finally:
        ballast.unlink()
    service.wait()


def small_disks(stack: Stack) -> dict[str, Path]:
    """A file system of its own for each volume that is filled."""
    folder = stack.folder / "disks"
    folder.mkdir(exist_ok=True)
    found = {}
    for volume in DISKS.values():
        found[volume] = image = folder / f"{volume}.img"
        if not image.exists():
            _made(image, folder / "empty")
    return found


def _made(image: Path, empty: Path) -> None:
    """Really empty: an engine gives a volume to the image's user only then."""
    subprocess.run(["truncate", "-s", SIZE, str(image)], check=True)
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", str(image)], check=True)
    empty.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(empty)], check=True)
    try:
        (empty / "lost+found").rmdir()
    finally:
        subprocess.run(["umount", str(empty)], check=True)
