"""What the commands judged and gaps do: judged sets out of the database and into it, and what was asked in vain."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_api.terminal import say

if TYPE_CHECKING:
    from rag_api.evaluate.gaps import Gap
    from rag_api.parts import Parts


def list_judged(parts: Parts) -> list[dict[str, Any]]:
    from rag_api.db.judged import list_sets
    from rag_api.types import LOCAL_USER

    return [asdict(one) | {"updated_at": one.updated_at.isoformat()} for one in list_sets(parts.db, LOCAL_USER)]


def print_sets(sets: list[dict[str, Any]], as_json: bool) -> None:
    import typer
    from rich.console import Console
    from rich.table import Table

    if as_json:
        typer.echo(json.dumps({"sets": sets}, ensure_ascii=False))
        return
    columns = ("name", "questions", "validate", "test", "no_answer", "incomplete")
    table = Table(*columns, box=None, pad_edge=False)
    for one in sets:
        table.add_row(*(str(one[column]) for column in columns))
    Console().print(table)


def export_judged(parts: Parts, name: str, file: Path | None) -> None:
    import typer

    from rag_api.db.judged import read_set
    from rag_api.evaluate import write_judged
    from rag_api.evaluate.judged import judged_csv
    from rag_api.types import LOCAL_USER

    questions = read_set(parts.db, LOCAL_USER, name)
    if file is None:
        typer.echo(judged_csv(questions), nl=False)
    else:
        write_judged(file, questions)
        say(f"{len(questions)} questions: {file}")


def import_judged(parts: Parts, name: str, file: Path, as_json: bool) -> None:
    import re

    import typer

    from rag_api.db.judged import save_questions
    from rag_api.errors import InvalidInput
    from rag_api.evaluate import read_judged
    from rag_api.schemas_quality import SET_NAME
    from rag_api.types import LOCAL_USER

    if not re.fullmatch(SET_NAME, name):
        raise InvalidInput(f"{name!r} is no name for a judged set: letters, digits, spaces, dots, dashes and underscores, at most 80.")
    questions = read_judged(file)
    new = save_questions(parts.db, LOCAL_USER, name, questions)
    if as_json:
        typer.echo(json.dumps({"questions": len(questions), "new": new}))
    else:
        say(f"{len(questions)} questions, {new} of them new: {name}")


def take_feedback(parts: Parts, name: str) -> None:
    from rag_api.evaluate.judging import from_feedback
    from rag_api.types import LOCAL_USER

    placed, left_open = from_feedback(parts.db, LOCAL_USER, name)
    say(f"{placed} questions with a place, {left_open} left open because nobody said where the answer stands")


def print_gaps(parts: Parts, department: str | None, since: str | None, as_csv: bool, as_json: bool) -> None:
    import typer

    from rag_api.db.gaps import unanswered
    from rag_api.evaluate.gaps import gaps_csv, gaps_of
    from rag_api.types import LOCAL_USER

    found = gaps_of(unanswered(parts.db, LOCAL_USER, _day(since)), department)
    if as_csv:
        typer.echo(gaps_csv(found), nl=False)
    elif as_json:
        rows = [_gap_row(gap) for gap in found]
        typer.echo(json.dumps({"gaps": rows, "questions": sum(len(gap.asked) for gap in found)}, ensure_ascii=False))
    else:
        for gap in found:
            near = "; ".join(f"{document.title} ({document.owner or 'no owner'})" for document, _ in gap.nearest[:3])
            typer.echo(f"{len(gap.asked):4}  {gap.department or '-'}  {gap.question}\n      {near}")
        say(f"{len(found)} gaps, {sum(len(gap.asked) for gap in found)} questions")


def _gap_row(gap: Gap) -> dict[str, Any]:
    nearest = [asdict(document) | {"times": times} for document, times in gap.nearest]
    about = {"question": gap.question, "times": len(gap.asked), "department": gap.department}
    return {**about, "functions": gap.functions, "questions": gap.wordings, "nearest": nearest}


def _day(text: str | None) -> datetime | None:
    from rag_api.errors import InvalidInput

    try:
        return datetime.fromisoformat(text).astimezone() if text else None
    except ValueError as error:
        raise InvalidInput(f"--since {text!r}: expected a day as 2026-01-31") from error
