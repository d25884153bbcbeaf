"""Commands of the docs, each as it stands there: run where a bare machine runs it in seconds, else
read by its own program's parser (commands.csv says why). Of Docker's, the services that they name
and what runs in them."""

from __future__ import annotations

import argparse
import csv
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.testing import CliRunner

from evaluation import tables
from evaluation.service.processes import started
from rag_api.cli.app import app
from rag_api.evaluate.judged import HANDBOOK
from tests.book.commands import ROOT, commands, cover_of, covers
from tests.support.ports import free_port
from tests.support.scripted_server import Scripted

PAGES = [*tables.pages(), ROOT / "CONTRIBUTING.md"]
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]
WITH_A_VALUE = ("-v", "--since", "--scale")  # of docker compose's options
LOADED = ("hypoglykemie-neonaten.pdf", "vancomycin-adults.pdf")
FOLDERS = "/path/to/procedures", "/mnt/procedures", "/backups", "/packs"  # as pages call a reader's own
SOURCES = '[[folder]]\npath = "path/to/procedures"\n'


@dataclass(frozen=True, slots=True)
class Place:
    """A reader's machine: where they type, and what the docs' words in capitals are there."""

    folder: Path
    environment: Mapping[str, str]
    names: Mapping[str, str]
    empty: Mapping[str, str]  # the environment of an installation with nothing in it

    def typed(self, command: str) -> str:
        """The command with this machine's folders and names."""
        for path in FOLDERS:
            command = re.sub(rf"(?<![\w.]){path}\b", f"{self.folder}{path}", command)
        return re.sub(r"\b[A-Z]+(:[A-Z]+)?\b", lambda word: self.names.get(word[0], word[0]), command)

    def run(self, command: str) -> str:
        """What it prints. Raises AssertionError where it ends with an error."""
        typed, _, file = self.typed(command).partition(" >")
        words = shlex.split(typed)
        if words[0] == "docker":
            words = words[words.index("bedside") :]  # what runs in the container
        if words[0] != "bedside":
            # examples lie in the checkout
            where = ROOT if words[0] == "python" else self.folder
            environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
            ran = subprocess.run(words, cwd=where, env=environment, capture_output=True, text=True)
            code, printed, said = ran.returncode, ran.stdout, ran.stderr
        elif words[1] == "serve":
            code, printed, said = self._serve(words[1:])
        else:
            at = self.empty if words[1] == "restore" else self.environment
            result = CliRunner().invoke(app, words[1:], env=dict(at), catch_exceptions=False)
            code, printed, said = result.exit_code, result.stdout, result.stderr
        assert code == 0, f"{command}: {printed}\n{said}"
        if file:
            with (self.folder / file.lstrip("> ")).open("a" if file.startswith(">") else "w") as written:
                written.write(printed)
        return printed

    def _serve(self, words: Sequence[str]) -> tuple[int, str, str]:
        """Until it answers, and then until it ends as it was told to."""
        own = {name.removeprefix("BEDSIDE_"): value for name, value in self.environment.items()}
        command = ("rag_api.cli.app", *words, "--port", str(free_port()))
        with started(self.folder, "serve", [command], own) as [running]:
            running.ready("/api/health/ready")
            running.process.send_signal(signal.SIGTERM)
            ended = running.process.wait(60)  # a single process ends by the signal itself
            return 0 if ended == 128 + signal.SIGTERM else ended, "", running.log.read_text()


@pytest.fixture(scope="module")
def place(
    dsn: str, empty_database: str, scripted: Scripted, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("reader")
    own = {
        "DATA_DIR": str(folder / "data"),
        "DATABASE_URL": dsn,
        "GENERATOR_URL": scripted.url,
        "GENERATOR_MODEL": "scripted",
    }
    given = {f"BEDSIDE_{name}": value for name, value in own.items()} | {"COLUMNS": "200"}
    empty = given | {"BEDSIDE_DATA_DIR": str(folder / "restored"), "BEDSIDE_DATABASE_URL": empty_database}
    made = Place(folder, given, {}, empty)
    for path in FOLDERS:
        (folder / path[1:]).mkdir(parents=True)
    for name in LOADED:
        shutil.copy(HANDBOOK.parent / "pdf" / name, folder / "path/to/procedures")
    shutil.copy(ROOT / ".env.example", folder)
    shutil.copytree(ROOT / "evaluation/results/retrieval", folder / "evaluation/results/retrieval")
    with HANDBOOK.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["document"] in (*LOADED, "")]
    for name in ("judged.csv", "FILE"):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows[:6])
    (folder / "sources.toml").write_text(SOURCES)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        made.run("bedside ingest path/to/procedures")
        for name in ("a.json", "b.json"):
            made.run(f"bedside quality evaluate --set FILE --json > {name}")
        made.run("bedside users add LOGIN --machine --roles reader")
        key = made.run("bedside keys add LOGIN --name ward --scopes ask").split()[-1]
        shown = next(word for word in made.run("bedside keys list").split() if key.startswith(word))
        yield replace(made, names={"KEY": shown, "NUMBER:HASH": made.run("bedside audit head").strip()})


def run_here(page: Path) -> list[str]:
    known = covers()
    found = [(command, cover_of(command, known)) for command in commands(page.read_text(encoding="utf-8"))]
    return [command for command, cover in found if cover and not cover.not_run]


def read_here(page: Path) -> list[str]:
    run = run_here(page)
    return [command for command in commands(page.read_text(encoding="utf-8")) if command not in run]


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if run_here(page)], ids=lambda page: page.name)
def test_the_commands_of_a_page_run_as_they_stand_there(page: Path, place: Place) -> None:
    shutil.rmtree(place.folder / "backups")  # another page's: no backup is written over
    (place.folder / "backups").mkdir()
    for command in run_here(page):
        place.run(command)


def read(command: str) -> None:
    """By what reads it when it is typed. Raises AssertionError, with what that says."""
    words = [word for word in shlex.split(command.split(" >")[0].split(" | ")[0]) if word != "..."]
    if words[0] == "make":
        dry = subprocess.run([*words[:1], "--dry-run", *words[1:]], cwd=ROOT, capture_output=True, text=True)
        assert dry.returncode == 0, f"{command}: {dry.stderr}"
        if given := re.search(r" -m (services\.generator\.bench .*)", dry.stdout) if len(words) > 2 else None:
            _read_of_module(shlex.split(given[1]))
    elif words[:2] == ["python", "-m"]:
        _read_of_module(words[2:])
    elif words[0] == "docker":
        _read_in_container(words[2:])
    elif words[0] in ("bedside", "ray"):
        _read_of_command(_bedside() if words[0] == "bedside" else _ray(), words)


def _read_in_container(words: list[str]) -> None:
    """`run --rm -v A:B SERVICE COMMAND`, `up --scale SERVICE=3`, `stop SERVICE ...`."""
    verb, *rest = words
    named = [at for at, word in enumerate(rest) if not word.startswith("-") and rest[at - 1] not in WITH_A_VALUE]
    scaled = [rest[at + 1].split("=")[0] for at, word in enumerate(rest) if word == "--scale"]
    ends = named[:1] if verb in ("run", "exec") else named
    assert [name for name in (*(rest[at] for at in ends), *scaled) if name not in SERVICES] == [], words
    if verb in ("run", "exec") and (inside := rest[named[0] + 1 :])[:1] == ["bedside"]:
        _read_of_command(_bedside(), inside)


def _read_of_module(words: list[str]) -> None:
    """Up to where its own parser has read them; what it says of those it does not know is on
    standard error."""

    class Accepted(Exception):
        pass

    def accepting(parse: Callable[..., Any]) -> Callable[..., Any]:
        def accept(*given: Any, **named: Any) -> Any:
            parse(*given, **named)
            raise Accepted

        return accept

    with pytest.MonkeyPatch.context() as patched:
        for name in ("parse_args", "parse_intermixed_args"):
            patched.setattr(argparse.ArgumentParser, name, accepting(getattr(argparse.ArgumentParser, name)))
        patched.setattr(sys, "argv", words)
        runs = f"{words[0]}.__main__" if (ROOT / words[0].replace(".", "/")).is_dir() else words[0]
        patched.delitem(sys.modules, runs, raising=False)  # another test may have imported it
        with pytest.raises(Accepted):
            runpy.run_module(words[0], run_name="__main__")


def _bedside() -> Any:
    return typer.main.get_command(app)


def _ray() -> Any:
    from ray.scripts.scripts import cli

    return cli


def _read_of_command(command: Any, words: Sequence[str]) -> None:
    """As `main` does before it calls what the command does."""
    at = command
    for word in words[1:]:
        at = getattr(at, "commands", {}).get(word, at)
    at.callback = lambda **_: None
    with pytest.raises(SystemExit) as ended:
        command.main(words[1:], prog_name=words[0])
    assert ended.value.code in (0, None), words


@pytest.mark.parametrize("page", [page for page in PAGES if read_here(page)], ids=lambda page: page.name)
def test_the_other_commands_of_a_page_are_read_by_their_programs(page: Path) -> None:
    for command in read_here(page):
        read(command)


@pytest.mark.parametrize(
    "command",
    [
        "make nothing",
        'make bench ARGS="decode --josn"',
        "python -m tests.faults --jsn faults.json",
        "python -m tests.stack faults --runing",
        "python -m services.generator.bench nothing",
        "bedside pack /packs/today --nights 7",
        "bedside serve --workers two",
        "bedside restore",
        "ray start --haed",
        "docker compose logs --since 10m nobody",
        "docker compose up -d --scale nobody=3",
        "docker compose run --rm rag_api bedside restor /backups/today",
    ],
)
def test_what_a_program_does_not_know_is_seen(command: str) -> None:
    with pytest.raises((AssertionError, SystemExit)):
        read(command)


@pytest.mark.slow
def test_a_command_that_ends_with_an_error_is_seen(place: Place) -> None:
    with pytest.raises(AssertionError, match="No such option"):
        place.run("bedside documents --nothing")
    with pytest.raises(AssertionError, match="There is no account"):
        place.run("bedside users roles nobody admin")
