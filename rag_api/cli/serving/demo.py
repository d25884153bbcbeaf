"""`bedside demo`: the whole product on this machine, with its sample handbook."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_api.cli.ask import answer_json, print_answer
from rag_api.cli.console import opened, say
from rag_api.cli.content.ingest import print_report, run_ingest
from rag_api.cli.options import AsJson
from rag_api.cli.serving.demo_reader import choose_reader
from rag_api.cli.serving.serve import serve_all, url_of

if TYPE_CHECKING:
    from rag_api.container import Container

# Stands in the handbook's judged set, so that anyone can check the answer.
SAMPLE = "paracetamol iv kind 12 kg hoeveel per gift?"


def demo(
    once: Annotated[bool, typer.Option("--once", help="Stop after the sample answer instead of serving.")] = False,
    as_json: AsJson = False,
    question: Annotated[str, typer.Option(help="What to ask instead of the sample question.")] = SAMPLE,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that serve.")] = 1,
) -> None:
    """Everything on this machine: ingest the sample handbook, ask it a question, then serve the
    page until Ctrl-C.

    The hospital in it does not exist, and the small model is not for clinical use. With --once
    --json the last line of standard output is the answer as JSON.
    """
    from rag_api.answering.ask_sequentially import answers_to
    from rag_api.domain import LOCAL_USER

    step = Steps()
    if without := choose_reader(os.environ):
        say(without)
    with opened() as container:
        if container.settings.environment == "production":
            say(
                "bedside: the demo fills the database with a fictional hospital's documents; it does not run in "
                "production."
            )
            raise typer.Exit(2)
        container.start_generator()  # loads beside the rest
        with step("starting the database"):
            container.db.ping()
        with step("opening the search index"):
            open_index(container)
        with step("ingesting the sample handbook"):
            load_handbook(container)
        with step("loading the language model"):
            container.wait_for_generator()
        with step("answering the sample question"):
            answer = next(answers_to([question], LOCAL_USER, container))
        say(f"\nQuestion: {question}")
        print_answer(answer, text=not as_json)
        if as_json:
            typer.echo(json.dumps(answer_json(answer), ensure_ascii=False))
            sys.stdout.flush()
        if not once:
            say(f"\nReady after {time.monotonic() - step.began:.1f} s: {url_of(container)}   (Ctrl-C stops)\n")
            serve_all(container, workers)


def open_index(container: Container) -> None:
    """Open it; one that an earlier release's embedder made goes, for the ingestion that follows
    makes it anew from what is known."""
    from rag_api.errors import EmbedderMismatch

    try:
        container.store.count()
    except EmbedderMismatch:
        folder = container.settings.index_dir
        if container.settings.store != "lance" or not folder.is_dir():
            raise
        say("  made by another embedder: it is made anew")
        shutil.rmtree(folder)
        container.store.count()


def load_handbook(container: Container) -> None:
    """Load its documents, and its abbreviations and synonyms; say what became of them."""
    from rag_api import handbook
    from rag_api.query.synonyms import put_lists

    folder = Path(handbook.__file__).parent
    report = run_ingest(container, [folder / "pdf"])
    put_lists(folder, container.settings.data_dir)
    print_report(report)


class Steps:
    """Names each step when it begins and says how long it took."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        say(f"- {name} ...")
        yield
        say(f"  {name}: {time.monotonic() - began:.1f} s")
