"""`bedside quality try`: the same questions with other settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.console import opened
from rag_api.cli.options import AsJson, SetFile, Stored
from rag_api.cli.quality.compare import show_comparison
from rag_api.cli.quality.measuring import judged_questions, measure, refuse_test_half

if TYPE_CHECKING:
    from rag_api.config import Settings

# Another value of these needs another index or another database, so a run of its own: then `bedside
# quality compare`.
NOT_AT_ONCE = ("store", "weaviate_", "embedder", "database_", "data_dir", "chunk_", "environment")


def try_settings(
    changes: Annotated[
        list[str],
        typer.Argument(help="NAME=VALUE, for example alpha=0.5.", metavar="NAME=VALUE...", show_default=False),
    ],
    judged: SetFile = None,
    stored: Stored = None,
    as_json: AsJson = False,
) -> None:
    """Ask reviewed questions as set now and with other settings, and compare question by question.

    To try settings is to tune, so only the validate half of the set is asked. What needs another
    index (an embedder, a chunk size) is evaluated by itself and then compared: `bedside quality
    compare`.
    """
    from evaluation.quality import rows_of
    from evaluation.quality.compare import compare

    with opened() as container:
        other_settings = changed(container.settings, changes)
        questions = judged_questions(container, judged, stored, "validate")
        refuse_test_half(questions, container, judged, stored, "A setting")
        now = measure(container, questions)
        other = measure(container, questions, other_settings, "questions, other settings")
    show_comparison(compare(rows_of(now), rows_of(other)), ("now", ", ".join(changes)), as_json)


def changed(settings: Settings, changes: Sequence[str]) -> Settings:
    """["alpha=0.5", ...] -> those settings. Raises InvalidInput."""
    from pydantic import ValidationError

    from rag_api.errors import InvalidInput

    values: dict[str, str] = {}
    for change in changes:
        name, sign, value = change.partition("=")
        name = name.strip().lower().removeprefix("bedside_")
        if not sign or name not in type(settings).model_fields:
            raise InvalidInput(f"{change!r}: expected NAME=VALUE with the name of a setting, for example alpha=0.5")
        if name.startswith(NOT_AT_ONCE):
            raise InvalidInput(
                f"{change!r}: that is another index; evaluate it by itself and use `bedside quality "
                f"compare A.json B.json`"
            )
        values[name] = value
    try:
        return type(settings).model_validate({**settings.model_dump(), **values})
    except ValidationError as error:
        raise InvalidInput("; ".join(str(e["msg"]) for e in error.errors())) from error
