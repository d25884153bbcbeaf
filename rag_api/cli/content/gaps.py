"""`bedside gaps`: what was asked in vain."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import opened, say
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.evaluate.gaps import Gap


def gaps(
    department: Annotated[str | None, typer.Option(help="One department's only.")] = None,
    since: Annotated[str | None, typer.Option(help="Asked on this day or later: 2026-01-31.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_json: AsJson = False,
) -> None:
    """What was asked in vain: near-equal questions together, most asked first, with the nearest
    documents and whose they are.

    The questions are what staff typed and may concern patients: treat the report as you treat them.
    """
    from rag_api.db.questions.gaps import unanswered
    from rag_api.domain import LOCAL_USER
    from rag_api.evaluate.gaps import gaps_csv, gaps_of

    with opened() as container:
        found = gaps_of(unanswered(container.db, LOCAL_USER, _day(since)), department)
    total = sum(len(gap.asked) for gap in found)
    if as_csv:
        typer.echo(gaps_csv(found), nl=False)
    elif as_json:
        typer.echo(json.dumps({"gaps": [_row(gap) for gap in found], "questions": total}, ensure_ascii=False))
    else:
        for gap in found:
            near = "; ".join(f"{document.title} ({document.owner or 'no owner'})" for document, _ in gap.nearest[:3])
            said = {
                "missed": ", ".join(f"{what} ({count})" for what, count in gap.missing.items()),
                "stands in, say readers": "; ".join(document.title for document, _ in gap.named),
                "reported": ", ".join(f"{what} ({count})" for what, count in gap.reported.items()),
                "they wrote": " | ".join(gap.comments),
            }
            lines = [near, *(f"{name}: {words}" for name, words in said.items() if words)]
            typer.echo("\n      ".join([f"{len(gap.asked):4}  {gap.department or '-'}  {gap.question}", *lines]))
        say(f"{len(found)} gaps, {total} questions")


def _row(gap: Gap) -> dict[str, Any]:
    nearest, named = (
        [asdict(document) | {"times": times} for document, times in found] for found in (gap.nearest, gap.named)
    )
    about = {"question": gap.question, "times": len(gap.asked), "department": gap.department}
    said = {"missing": gap.missing, "named": named, "reported": gap.reported, "comments": gap.comments}
    return {**about, "functions": gap.functions, "questions": gap.wordings, "nearest": nearest, **said}


def _day(text: str | None) -> datetime | None:
    from rag_api.errors import InvalidInput

    try:
        return datetime.fromisoformat(text).astimezone() if text else None
    except ValueError as error:
        raise InvalidInput(f"--since {text!r}: expected a day as 2026-01-31") from error
