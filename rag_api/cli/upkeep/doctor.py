"""`bedside doctor`: is this installation in order, and if not, what is to be done?"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.config import Settings
    from rag_api.upkeep.finding import Finding

COLOURS = {"ok": typer.colors.GREEN, "warn": typer.colors.YELLOW, "fail": typer.colors.RED}


def doctor(
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Read every file and compare its hash; look for every passage.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look at settings, parts, index, files, disk, certificate, backups and downtime pack; say
    what is wrong and what to do. Changes nothing.

    Ends with 0 when all is well or merely to be looked at, with 1 when something is wrong."""
    from rag_api.upkeep.finding import State, worst

    findings = list(_findings(thorough))
    state = worst(findings)
    if as_json:
        typer.echo(
            json.dumps({"state": state, "findings": [asdict(finding) for finding in findings]}, ensure_ascii=False)
        )
    else:
        for finding in findings:
            _print(finding)
    raise typer.Exit(int(state == State.FAIL))


def _findings(thorough: bool) -> list[Finding]:
    import os

    from pydantic import ValidationError

    from rag_api.cli.console import unheard
    from rag_api.config import Settings
    from rag_api.upkeep.finding import fail, ok, warn

    unknown = [warn("settings", line, "Correct or remove it.") for line in unheard(os.environ)]
    try:
        settings = Settings()
    except ValidationError as error:
        wrong = [
            f"{'.'.join(map(str, one['loc']))} {one['msg'].removeprefix('Value error, ')}".strip()
            for one in error.errors()
        ]
        return [*unknown, *(fail("settings", line, "Nothing starts until it is set right.") for line in wrong)]
    return [*(unknown or [ok("settings", "each makes sense")]), *_examined(settings, thorough)]


def _examined(settings: Settings, thorough: bool) -> list[Finding]:
    from rag_api.container import Container
    from rag_api.upkeep.doctor import examine

    with Container(settings) as container:
        return list(examine(settings, container, thorough=thorough))


def _print(finding: Finding) -> None:
    mark = typer.style(f"{finding.state:4}", fg=COLOURS[finding.state])
    typer.echo(f"{mark}  {finding.name}: {finding.what}")
    if finding.todo:
        typer.echo(f"      -> {finding.todo}")
