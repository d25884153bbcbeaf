"""`bedside quality askers`: what the first source becomes when somebody's function or department is
known, and what that costs somebody who asks about everything."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from rag_api.cli.console import opened, wide_console
from rag_api.cli.options import AsJson, SetFile, Split, Stored
from rag_api.cli.quality.measuring import indexed, judged_questions, measure

if TYPE_CHECKING:
    from rag_api.container import Container
    from rag_api.evaluate.judged import Judged

SEED = 7
FIGURES = ("hit@1", "hit@3", "mrr", "wrong_group_first")
# Whose patients differ most; the others of guard/tables/functions.csv care for the same ones as one
# of these, or for everyone.
FUNCTIONS = ("paediatrician", "neonatologist", "midwife", "internist")


def askers(judged: SetFile = None, stored: Stored = None, split: Split = "all", as_json: AsJson = False) -> None:
    """Measure what knowing the asker's function or department changes, and what it costs those who
    ask about other patients."""
    with opened() as container:
        found = by_asker(container, judged_questions(container, judged, stored, split))
    typer.echo(json.dumps(found)) if as_json else print_askers(found)


def by_asker(container: Container, questions: Sequence[Judged]) -> dict[str, Any]:
    """Asker -> figures of all these questions asked by them, with the boosts as set, without the
    function's, and with neither. Functions have departments, too, whose boost is the
    department's."""
    settings = {
        "as set": container.settings,
        "no function boost": container.settings.model_copy(update={"function_boost": 0.0}),
        "no boost": container.settings.model_copy(update={"function_boost": 0.0, "department_boost": 0.0}),
    }
    found: dict[str, Any] = {}
    for name, asks in each_asker(container).items():
        asked = [asks(question) for question in questions]
        found[name] = {
            kind: _figures(measure(container, asked, own, f"{name}, {kind}")) for kind, own in settings.items()
        }
    return found


def each_asker(container: Container) -> dict[str, Callable[[Judged], Judged]]:
    """Each makes of a question the same one asked by them."""
    documents = {document.source: document.metadata.department for document in indexed(container)}
    departments = sorted({name for name in documents.values() if name})
    drawn = random.Random(SEED)  # noqa: S311 - the same draw each time

    def said(function: str = "", department: str = "") -> Callable[[Judged], Judged]:
        return lambda question: replace(question, function=function, department=department)

    return {
        "nobody says": said(),
        "the set's function": lambda question: replace(question, department=""),
        **{f"{name}, everything": said(name) for name in FUNCTIONS},
        "the document's department": lambda question: said(department=documents.get(question.document, ""))(question),
        "a department at random": lambda question: said(department=drawn.choice(departments) if departments else "")(
            question
        ),
    }


def _figures(outcomes: Sequence[Any]) -> dict[str, Any]:
    from evaluation.quality import report

    whole = report(outcomes)
    return {name: whole[name] for name in FIGURES} | {"n": whole["n"]}


def print_askers(found: dict[str, Any]) -> None:
    from rich.table import Table

    kinds = list(next(iter(found.values())))
    table = Table("Hit@1 (for other patients)", *kinds, box=None, pad_edge=False)
    for name, row in found.items():
        table.add_row(name, *(f"{row[kind]['hit@1']:.3f} ({row[kind]['wrong_group_first']})" for kind in kinds))
    wide_console().print(table)
