"""Options that several commands have, and what became of those that are commands of their own now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]
SetFile = Annotated[Path | None, typer.Option("--set", help="A CSV file of judged questions; the sample handbook's when absent.")]
Stored = Annotated[str | None, typer.Option(help="A judged set of the database, by its name, instead of a file.")]
Half = Literal["validate", "test", "all"]
Split = Annotated[Half, typer.Option(help="Which half of the set. Tune on validate, report test.")]


def moved(options: dict[str, str]) -> type[TyperCommand]:
    """Return the class of a command that says of each option of before which command does it now."""

    class Moved(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            for name in (argument.partition("=")[0] for argument in args):
                if name in options:
                    raise typer.BadParameter(f"{name} is a command of its own now: bedside {options[name]}", ctx=ctx)
            return super().parse_args(ctx, args)

    return Moved
