"""`bedside quality follow-ups`: questions that lean on the one before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import opened, say
from rag_api.cli.options import AsJson, Half, Split
from rag_api.cli.quality.compare import print_comparison
from rag_api.cli.quality.measuring import measure

if TYPE_CHECKING:
    from rag_api.container import Container

Pairs = Annotated[
    Path | None, typer.Option("--set", help="A CSV of reviewed questions with a column previous; else the handbook's.")
]


def follow_ups(judged: Pairs = None, split: Split = "all", as_json: AsJson = False) -> None:
    """Measure follow-up questions, as they were typed and as they are made to stand alone, and how
    many are rewritten needlessly."""
    with opened() as container:
        print_follow_ups(measured(container, judged, split), as_json)


def measured(container: Container, file: Path | None, split: Half) -> dict[str, Any]:
    """The handbook's pairs when no file is given; its reviewed questions are what must be left
    alone."""
    from evaluation.quality.followups import FOLLOW_UPS, measure_pairs, read_pairs
    from rag_api.evaluate.judged import HANDBOOK, read_judged

    pairs = read_pairs(file or FOLLOW_UPS, split)
    return measure_pairs(
        pairs, read_judged(HANDBOOK, split), lambda asked: measure(container, asked, what="follow-up questions")
    )


def print_follow_ups(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    print_comparison(found["comparison"], ("literal", "rewritten"))
    alone = found["false_rewrites"]
    say(
        f"{found['rewritten_share']:.0%} of the follow-ups rewritten; of {alone['n']} questions that stand alone, "
        f"{alone['rewritten']}"
    )
