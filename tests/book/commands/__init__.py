"""Commands of the docs: which there are, whether they exist, and which test covers each
(commands.csv). test_commands.py runs them."""

from __future__ import annotations

import csv
import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer

from rag_api.cli.app import app
from tests.book.prose import written

ROOT = Path(__file__).resolve().parents[3]
COVERED = Path(__file__).with_name("commands.csv")
PROGRAMS = re.compile(r"(?:\.venv/bin/)?(make|bedside|python|docker|cp|ray|podman|kubectl|helm|openssl|pip|git|curl)\s")
BLOCK = re.compile(r"^(?: {4}|\t)(\S.*)$|^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IN_LINE = re.compile(r"`((?:make|bedside|python -m) [^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Cover:
    command: str  # how a command begins
    test: str  # a file that runs it, or what it calls
    names: str  # stands in that file
    not_run: str  # why test_commands.py does not run it; "" where it does


def covers() -> list[Cover]:
    with COVERED.open(newline="", encoding="utf-8") as file:
        return [Cover(**row) for row in csv.DictReader(file)]


def commands(text: str) -> list[str]:
    """Return what a reader would type, of a page's blocks of code."""
    lines = (line for match in BLOCK.finditer(written(text)) for line in (match[1] or match[2] or "").splitlines())
    found = (re.sub(r"\s+#\s.*$", "", line).strip().removeprefix("$ ") for line in lines)
    return [line.removeprefix(".venv/bin/") for line in found if PROGRAMS.match(line + " ")]


def cover_of(command: str, known: list[Cover]) -> Cover | None:
    """Return the one that begins like the command for longest."""
    return max(
        (one for one in known if f"{command} ".startswith(f"{one.command} ")),
        key=lambda one: len(one.command),
        default=None,
    )


def missing(command: str) -> str:
    """Return what of a command does not exist, "" where all of it does. Of other people's programs
    nothing is known."""
    words = shlex.split(command.split("|")[0].split(">")[0].replace("[", "").replace("]", ""))
    if words[0] == "make":
        known = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        return "" if words[1:] and words[1] in known else f"make has no {' '.join(words[1:2])!r}"
    if words[:2] == ["python", "-m"]:
        path = ROOT / words[2].replace(".", "/")
        return "" if path.is_dir() or path.with_suffix(".py").exists() else f"there is no module {words[2]}"
    return _missing_of_bedside(words[1:]) if words[0] == "bedside" else ""


@cache
def _bedside() -> Any:
    return typer.main.get_command(app)


def _missing_of_bedside(words: list[str]) -> str:
    at = _bedside()
    for word in words:
        if word.startswith("--"):
            if word.partition("=")[0] not in {
                name for parameter in at.params for name in (*parameter.opts, *parameter.secondary_opts)
            } | {"--help"}:
                return f"`bedside {at.name}` has no {word}"
        elif hasattr(at, "commands"):
            if word not in at.commands:
                return f"bedside has no command {word!r}"
            at = at.commands[word]
    return ""


def in_line(text: str) -> list[str]:
    """Return the commands that a page's sentences and tables name."""
    return IN_LINE.findall(written(text))
