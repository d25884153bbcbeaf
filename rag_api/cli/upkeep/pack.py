"""`bedside pack`: a folder that answers on a ward's PC without a network, and whether it answers as
this server does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import counting, opened, read_settings, say
from rag_api.cli.options import AsJson, Stored

if TYPE_CHECKING:
    from rag_api.container import Container
    from rag_api.domain import Judged
    from rag_api.upkeep.pack.checking import PackCheck
    from rag_api.upkeep.pack.manifest import PackManifest


def pack(
    folder: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="A new folder for the pack; with --check the pack.", show_default=False),
    ],
    days: Annotated[int, typer.Option(min=1, max=92, help="For so many days it answers, then it refuses.")] = 7,
    groups: Annotated[
        str,
        typer.Option(
            help="It holds the documents that members of any of these may read, with commas between. On a ward's PC "
            "nobody signs in: "
            "whoever opens the pack reads all of it."
        ),
    ] = "everyone",
    key: Annotated[
        Path | None,
        typer.Option(
            help="The hospital's private key that signs it (Ed25519, PEM). Made when there is none; absent: pack.key "
            "in the data directory."
        ),
    ] = None,
    runtime: Annotated[
        bool, typer.Option("--runtime/--no-runtime", help="Put Python and the packages into it (Linux).")
    ] = True,
    without_reader: Annotated[
        bool,
        typer.Option("--without-reader", help="Leave the model out that must agree here; the pack's page says so."),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Ask the pack, and this server, reviewed questions; ends with 1 when an answer differs."
        ),
    ] = False,
    renew: Annotated[
        bool,
        typer.Option(
            "--renew",
            help="For every night: make it beside the pack that is there, check it, and put it in that one's place "
            "when it opens and answers.",
        ),
    ] = False,
    judged: Annotated[
        Path | None,
        typer.Option(
            "--set",
            help="A CSV file of reviewed questions to check with; absent: every set in the database, or the sample "
            "handbook's where there is none.",
        ),
    ] = None,
    stored: Stored = None,
    as_json: AsJson = False,
) -> None:
    """Make a downtime pack: documents, index, page and programs in one folder, signed and dated,
    for a PC without a network.

    On the PC: OUT/start.sh. It answers until its last day, stores nothing, and shows its age on
    every answer. Where a model reads here (BEDSIDE_READER), it reads there too.
    """
    if check:
        return _check(folder, key, judged, stored, as_json)
    from rag_api.api.server.page import web_dir
    from rag_api.errors import InvalidInput
    from rag_api.upkeep.pack.making import PackOrder, make
    from rag_api.upkeep.pack.manifest import read_private
    from rag_api.upkeep.pack.renewing import renew as make_anew

    with opened() as container:
        page = web_dir(container.settings.web_dir)
        if page is None:
            raise InvalidInput("There is no page to put into it: build web/ (make demo does), or set BEDSIDE_WEB_DIR.")
        chosen = tuple(sorted({name.strip() for name in groups.split(",")} - {""}))
        if not chosen:
            raise InvalidInput("--groups names no group.")
        key = key or container.settings.data_dir / "pack.key"
        order = PackOrder(page, chosen, days, runtime, without_reader)
        if not renew:
            with counting("documents", 0) as tell:
                made = make(container, folder, order, read_private(key), say, tell)
            _tell_made(made, folder, key)
            _print(_made(made, folder), as_json)
            return
        container.start_generator()
        questions = _questions(container, judged, stored)
        with counting("documents, then questions", len(questions)) as tell:
            made, found = make_anew(container, folder, order, questions, key, say, tell)
        _tell_made(made, folder, key)
        _tell(found)
        _print({**_made(made, folder), **_figures(found)}, as_json)
        if not found.alike:
            raise typer.Exit(1)


def _print(figures: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False))


def _made(made: PackManifest, folder: Path) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "valid_until": made.dates.valid_until.isoformat(),
        "documents": made.index.documents,
        "passages": made.index.chunks,
        "files": len(made.files),
        "bytes": sum(kept.bytes for kept in made.files),
    }


def _tell_made(made: PackManifest, folder: Path, key: Path) -> None:
    from rag_api.upkeep.pack.manifest import fingerprint, read_private

    size = sum(kept.bytes for kept in made.files)
    until = f"{made.dates.valid_until.astimezone():%Y-%m-%d %H:%M}"
    say(
        f"Made: {folder}, {made.index.documents} documents, {size / 2**20:.0f} MB, valid until {until}. Needs "
        f"{made.needs}."
    )
    say(
        f"Signed by the key {fingerprint(read_private(key).public_key())}: keep pack.pub of it on the PCs as "
        f"/etc/bedside/pack.pub."
    )


def _check(folder: Path, key: Path | None, judged: Path | None, stored: str | None, as_json: bool) -> None:
    from rag_api.upkeep.pack.checking import check

    settings = read_settings()
    with opened(settings) as container:
        container.start_generator()
        questions = _questions(container, judged, stored)
        with counting("questions", len(questions)) as tell:
            found = check(container, folder, questions, key or settings.data_dir / "pack.key", tell)
        _tell(found)
        _print(_figures(found), as_json)
        if not found.alike:
            raise typer.Exit(1)


def _questions(container: Container, judged: Path | None, stored: str | None) -> list[Judged]:
    from rag_api.cli.quality.measuring import every_stored_question, judged_questions

    questions = every_stored_question(container) if not judged and not stored else []
    return questions or judged_questions(container, judged, stored, "all")


def _tell(found: PackCheck) -> None:
    for one in found.differing:
        say(f"  {one.id}: {one.question}: here {one.here}, pack {one.pack}")
    alike = found.asked - len(found.differing)
    took = f"the first after {found.ready_seconds:.0f} s, in {found.peak_mb:.0f} MB of memory"
    say(f"{alike} of {found.asked} questions answered as here; {found.answered} answered, {took}.")


def _figures(found: PackCheck) -> dict[str, Any]:
    return {
        "asked": found.asked,
        "alike": found.asked - len(found.differing),
        "answered": found.answered,
        "ready_seconds": round(found.ready_seconds, 1),
        "peak_mb": found.peak_mb,
        "differing": [{"id": one.id, "here": one.here, "pack": one.pack} for one in found.differing],
    }
