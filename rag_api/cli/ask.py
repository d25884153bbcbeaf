"""`bedside ask`: one question, its answer and its sources."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.audited import also
from rag_api.cli.console import opened, say
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.domain import Answer


def ask(
    question: Annotated[
        str, typer.Argument(help="In Dutch or English, as you would ask a colleague.", show_default=False)
    ],
    mode: Annotated[
        str | None, typer.Option(help="verbatim (exact quotes), answer (the model's words) or sources (no model).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask one question and print the answer with its sources."""
    from rag_api.answering.ask_sequentially import answers_to
    from rag_api.audit.shown import shown
    from rag_api.domain import LOCAL_USER, Mode

    if mode is not None and mode not in list(Mode):
        raise typer.BadParameter(f"{mode!r}: choose verbatim, answer or sources", param_hint="--mode")
    with opened() as container:
        if mode != Mode.SOURCES:
            container.start_generator()
        container.warm()
        if mode != Mode.SOURCES:
            container.wait_for_generator()
        stream = not as_json and sys.stdout.isatty()
        show = (lambda text: typer.echo(text, nl=False)) if stream else None
        answer = next(answers_to([question], LOCAL_USER, container, Mode(mode) if mode else None, show))
        also(question=answer.question, **shown(answer))
        if as_json:
            typer.echo(json.dumps(answer_json(answer), ensure_ascii=False))
        else:
            typer.echo("") if stream else None
            print_answer(answer, text=not stream or not answer.text)


def answer_json(answer: Answer) -> dict[str, Any]:
    sources = [
        {
            "document": source.document.source,
            "title": source.document.metadata.title,
            "page": source.page,
            "version": source.document.metadata.version,
            "score": source.hit.score,
        }
        for source in answer.sources
    ]
    names = {source.document.id: source.document.source for source in answer.sources}
    spans = [
        {"start": c.start, "end": c.end, "document": names[c.document_id], "page": c.page, "text": c.text}
        for c in answer.citations
    ]
    return {
        "question": answer.question,
        "answer": answer.text,
        "status": answer.status.value,
        "sources": sources,
        "spans": spans,
        "notices": [notice.text for notice in answer.notices],
        "not_named": list(answer.not_named),
        "model": answer.model,
        "stats": answer.stats,
    }


def print_answer(answer: Answer, *, text: bool = True) -> None:
    """The answer, where each quote comes from, why there is none, and how fast it was written."""
    from rag_api.answering.refusal_reason import sentence_of

    for notice in answer.notices:
        say(f"! {notice.text}")
    if text:
        say("")
        typer.echo(answer.text.strip() or "(no answer)")
        say("")
    quoted = {citation.rank for citation in answer.citations}
    for source in answer.sources:
        about = source.document.metadata
        version = f", version {about.version}" if about.version else ""
        mark = "*" if source.hit.rank in quoted else " "
        say(
            f" {mark}{source.hit.rank}. {about.title or source.document.source}{version}, page {source.page} (score "
            f"{source.hit.score:.2f})"
        )
    stats = answer.stats
    if "refused" in stats:
        say(f"  {sentence_of(stats['refused'])}")
    speed = f"{stats['tokens']} tokens, {stats['tokens_per_step']:.2f} a step, " if "tokens_per_step" in stats else ""
    say(f"  {speed}{stats['seconds']:.2f} s")
