"""`bedside quality report`: a run as a page with plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import opened, say
from rag_api.cli.options import SetFile, Split, Stored
from rag_api.cli.quality.evaluate import figures_of
from rag_api.cli.quality.measuring import judged_questions, measure

if TYPE_CHECKING:
    from rag_api.container import Container
    from rag_api.evaluate.judged import Judged


def report(
    file: Annotated[Path, typer.Argument(help="Where to write the page.", show_default=False)],
    judged: SetFile = None,
    stored: Stored = None,
    split: Split = "all",
) -> None:
    """Write what `bedside quality evaluate` measures into one HTML file, with plots. Needs the
    extra `report`."""
    from evaluation.quality.plots import need_matplotlib

    with opened() as container:
        need_matplotlib()
        questions = judged_questions(container, judged, stored, split)
        figures = figures_of(measure(container, questions), container)
        write_html(
            file, container, questions, figures, f"{stored or (judged.name if judged else 'Sample handbook')}, {split}"
        )


def write_html(
    path: Path, container: Container, questions: Sequence[Judged], figures: dict[str, Any], title: str
) -> None:
    """Asks the answerable questions once more, for 50 hits: the plots show how far down a document
    stands."""
    from evaluation.quality.html import DEEPEST, html_report

    answerable = [question for question in questions if question.answerable]
    deep = (
        measure(
            container, answerable, container.settings.model_copy(update={"sources": DEEPEST}), "questions, 50 hits each"
        )
        if answerable
        else []
    )
    path.write_text(html_report(figures, figures["questions"], [o.rank for o in deep], title), encoding="utf-8")
    say(f"Report: {path}")
