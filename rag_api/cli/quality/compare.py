"""`bedside quality compare`: two runs of earlier, question by question."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from rag_api.cli.console import said
from rag_api.cli.options import AsJson

Run = Annotated[
    Path, typer.Argument(help="What `bedside quality evaluate --json` printed, in a file.", show_default=False)
]


def compare(a: Run, b: Run, as_json: AsJson = False) -> None:
    """Compare two runs over the same questions: which won where, and whether that is more than
    chance. Measures nothing.

    The runs may be of different days, settings, indexes or embedders. Shown are the figures'
    differences with the middle 95% of a paired bootstrap, a sign test, and every question whose
    rank differs.
    """
    from evaluation.quality.compare import compare as compared

    with said():
        show_comparison(compared(read_run(a), read_run(b)), (a.stem, b.stem), as_json)


def read_run(path: Path) -> list[dict[str, Any]]:
    """The questions of a run that `bedside quality evaluate --json` printed. Raises
    InvalidInput."""
    from rag_api.errors import InvalidInput

    try:
        lines = path.read_text(encoding="utf-8").strip().splitlines()
        return list(json.loads(lines[-1])["questions"])
    except (OSError, ValueError, IndexError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"{path}: not what `bedside quality evaluate --json` prints ({type(error).__name__})"
        ) from error


def show_comparison(found: dict[str, Any], names: tuple[str, str], as_json: bool) -> None:
    """Print it as JSON or as a table, with the questions that differ."""
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        print_comparison(found, names)


def print_comparison(found: dict[str, Any], names: tuple[str, str]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("", *names, "difference", "95%", "better", "worse", "p", box=None, pad_edge=False)
    for name, d in found["figures"].items():
        low, high = d["interval"]
        between = f"[{low:+.3f}, {high:+.3f}]"
        table.add_row(
            name,
            f"{d['a']:.3f}",
            f"{d['b']:.3f}",
            f"{d['difference']:+.3f}",
            between,
            str(d["better"]),
            str(d["worse"]),
            f"{d['p']:.3f}",
        )
    console = Console(soft_wrap=not sys.stdout.isatty(), markup=False)
    console.print(table)
    for row in found["questions"]:
        ranks = " -> ".join("-" if rank is None else str(rank) for rank in row["rank"])
        console.print(f"{row['id']}  {ranks}  {row['question']}")
