"""Options that several commands have, and what became of commands that stand in a group now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]
SetFile = Annotated[
    Path | None, typer.Option("--set", help="A CSV file of reviewed questions; the sample handbook's when absent.")
]
Stored = Annotated[
    str | None, typer.Option(help="A set of reviewed questions in the database, by its name, instead of a file.")
]
Half = Literal["validate", "test", "all"]
Split = Annotated[Half, typer.Option(help="Which half of the set. Tune on validate, report test.")]


def moved_to(group: str, *names: str) -> type[TyperGroup]:
    """Return the class of a group of commands that says of each command of before where it is
    now."""

    class MovedCommands(TyperGroup):
        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args and args[0] in names:
                ctx.fail(f"{args[0]} is now: {ctx.info_name} {group} {args[0]}")
            return super().resolve_command(ctx, args)

    return MovedCommands
