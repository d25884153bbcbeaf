"""`bedside judged list|export|import|feedback`: judged sets out of the database and into it."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from rag_api.cli.console import opened, say, wide_console
from rag_api.cli.options import AsJson

judged = typer.Typer(
    no_args_is_help=True, help="Sets of reviewed questions: list them, take them out and put them in as CSV."
)
Set = Annotated[str, typer.Argument(help="The set's name.", show_default=False)]
NewSet = Annotated[str, typer.Argument(help="The set's name; a new one is made.", show_default=False)]


@judged.command("list")
def list_sets(as_json: AsJson = False) -> None:
    """The sets of reviewed questions: how many questions, in which half, and how many nobody has
    finished judging."""
    from rag_api.db.questions.judged import list_sets as read
    from rag_api.domain import LOCAL_USER

    with opened() as container:
        sets = [asdict(one) | {"updated_at": one.updated_at.isoformat()} for one in read(container.db, LOCAL_USER)]
    if as_json:
        typer.echo(json.dumps({"sets": sets}, ensure_ascii=False))
        return
    from rich.table import Table

    columns = ("name", "questions", "validate", "test", "no_answer", "incomplete")
    table = Table(*columns, box=None, pad_edge=False)
    for one in sets:
        table.add_row(*(str(one[column]) for column in columns))
    wide_console().print(table)


@judged.command("export")
def export_set(
    name: Set,
    file: Annotated[
        Path | None, typer.Argument(help="Where to write; standard output when absent.", show_default=False)
    ] = None,
) -> None:
    """Write a set of reviewed questions as CSV, for `bedside quality evaluate --set` here or
    elsewhere."""
    from rag_api.db.questions.judged import read_set
    from rag_api.domain import LOCAL_USER
    from rag_api.evaluate.judged import judged_csv, write_judged

    with opened() as container:
        questions = read_set(container.db, LOCAL_USER, name)
    if file is None:
        typer.echo(judged_csv(questions), nl=False)
    else:
        write_judged(file, questions)
        say(f"{len(questions)} questions: {file}")


@judged.command("import")
def import_set(
    name: NewSet,
    file: Annotated[Path, typer.Argument(help="A CSV file of reviewed questions.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Put the questions of a CSV into a set of reviewed questions. One that is there already (by
    its id) is replaced."""
    from rag_api.api.schemas.quality import SET_NAME
    from rag_api.db.questions.judged import save_questions
    from rag_api.domain import LOCAL_USER
    from rag_api.errors import InvalidInput
    from rag_api.evaluate.judged import read_judged

    with opened() as container:
        if not re.fullmatch(SET_NAME, name):
            raise InvalidInput(
                f"{name!r} is no name for a set: letters, digits, spaces, dots, dashes and underscores, at most 80."
            )
        questions = read_judged(file)
        new = save_questions(container.db, LOCAL_USER, name, questions)
    if as_json:
        typer.echo(json.dumps({"questions": len(questions), "new": new}))
    else:
        say(f"{len(questions)} questions, {new} of them new: {name}")


@judged.command("feedback")
def take_feedback(name: NewSet) -> None:
    """Take what readers said of their answers into a set of reviewed questions. A question leaves
    it again when its asker deletes it."""
    from rag_api.domain import LOCAL_USER
    from rag_api.evaluate.judging import from_feedback

    with opened() as container:
        placed, left_open = from_feedback(container.db, LOCAL_USER, name)
    say(f"{placed} questions with a place, {left_open} left open because nobody said where the answer stands")
