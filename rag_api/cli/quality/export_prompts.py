"""`bedside quality export-prompts`: judged questions become prompts, answered by the configured
model when that is wanted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import counting, opened, say
from rag_api.cli.options import SetFile, Split, Stored
from rag_api.cli.quality.measuring import judged_questions, search

if TYPE_CHECKING:
    from rag_api.container import Container
    from rag_api.evaluate.judged import Judged


def export_prompts(
    file: Annotated[Path, typer.Argument(help="Where to write them (jsonl).", show_default=False)],
    judged: SetFile = None,
    stored: Stored = None,
    split: Split = "all",
    answers: Annotated[
        bool, typer.Option("--answers", help="Answered by the configured model; else with the judged words.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most this many.")] = 165,
    tokenizer: Annotated[Path | None, typer.Option(help="A tokenizer.json to count tokens with.")] = None,
) -> None:
    """Write prompts with three passages each, for measuring decoding, and print their statistics as
    JSON."""
    with opened() as container:
        if answers:
            container.start_generator()
        questions = judged_questions(container, judged, stored, split)
        made = export(file, container, questions, ask=answers, limit=limit, tokenizer=tokenizer)
    typer.echo(json.dumps(made, ensure_ascii=False))


def export(
    path: Path, container: Container, questions: Sequence[Judged], *, ask: bool, limit: int, tokenizer: Path | None
) -> dict[str, Any]:
    """Writes the prompts (with the model's answers when `ask`) and gives table 5.1's statistics."""
    from evaluation.quality.decoding import row_of, statistics, token_counter, write_rows

    count = token_counter(tokenizer) if tokenizer else None
    chosen = [question for question in questions if question.answerable][:limit]
    with counting("prompts", len(chosen)) as tell:
        rows = []
        for question in chosen:
            rows.append(row_of(question, search(question, container).hits))
            tell(len(rows))
    if ask:
        _answer(rows, container)
    write_rows(path, rows)
    say(f"{len(rows)} prompts: {path}")
    return statistics(rows, count)


def _answer(rows: list[dict[str, Any]], container: Container) -> None:
    """What the configured model says to each prompt, as a chat server is asked: greedy, until the
    template's stop."""
    import asyncio

    container.wait_for_generator()

    async def all_of_them() -> None:
        with counting("answers", len(rows)) as tell:
            for done, row in enumerate(rows, 1):
                said = await container.generator.complete(
                    row["prompt"], max_tokens=container.settings.max_tokens, stop=row["stop"]
                )
                row["answer"], row["answer_from"] = said.strip(), container.generator.model
                tell(done)
        await container.generator.close()

    asyncio.run(all_of_them())
