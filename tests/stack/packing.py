"""The nightly job that makes a downtime pack, in its container: a pack comes out that answers, one
that was changed is found, and the next night's takes its place."""

from __future__ import annotations

import os
from pathlib import Path

from tests.stack.engine.machine import Failed, last_words
from tests.stack.stack import Stack

USER = 10001


def packing(stack: Stack) -> None:
    """Raises Failed."""
    folder = stack.folder / "packs"
    folder.mkdir(exist_ok=True)
    os.chown(folder, USER, USER)
    stack.settings = {**stack.settings, "BEDSIDE_PACKS": str(folder)}
    stack.tell(last_words(job(stack), 1))
    _expect(stack, folder, "as this server does")
    stack.tell(f"a pack of {_megabytes(folder / 'today'):.0f} MB lies in {folder}/today")
    (folder / "today" / "README.txt").write_text("Welkom")
    job(stack, "bedside", "pack", "/packs/today", "--check", ends_with=1)
    _expect(stack, folder, "README.txt was changed")
    stack.tell("one that was changed is found, and `bedside doctor` says so")
    stack.tell(last_words(job(stack), 1))
    _expect(stack, folder, "as this server does")


def job(stack: Stack, *command: str, ends_with: int = 0) -> str:
    """What it said. Raises Failed where it ends otherwise."""
    log = stack.folder / "pack.log"
    with log.open("wb") as file:
        process = stack.containers.run("pack", *command, name=f"{stack.project}-pack", log=file)
        process.communicate(timeout=3600)
    said = log.read_text("utf-8", "replace")
    if process.returncode != ends_with:
        raise Failed(f"The job `pack` ended with {process.returncode}, not {ends_with}: {last_words(said)}")
    return said


def _expect(stack: Stack, folder: Path, words: str) -> None:
    """Of `bedside doctor` in rag_api. Raises Failed."""
    if [path.name for path in folder.iterdir()] != ["today"]:
        raise Failed(f"{folder} does not hold today's pack alone: {sorted(path.name for path in folder.iterdir())}")
    said = stack.inside("sh", "-c", "bedside doctor; true")
    if words not in " ".join(said.split()):
        raise Failed(f"`bedside doctor` does not say {words!r}: {said}")


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
