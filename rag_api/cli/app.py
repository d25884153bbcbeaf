"""`bedside`: the commands, each in a file of its own. Each opens the parts it needs and prints what came of it; nothing is decided here.

What a person reads goes to standard error while it runs; results go to standard output, as JSON with --json.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

import rag_api.cli.bench_decision  # noqa: F401 - adds its command to `bench`
from rag_api.cli.abbreviations import abbreviations
from rag_api.cli.ask import ask
from rag_api.cli.askers import askers
from rag_api.cli.audit import audit
from rag_api.cli.backup import backup, restore
from rag_api.cli.bench import bench
from rag_api.cli.calibrate import calibrate
from rag_api.cli.compare import compare
from rag_api.cli.demo import demo
from rag_api.cli.doctor import doctor
from rag_api.cli.documents import documents
from rag_api.cli.evaluate import MOVED, evaluate
from rag_api.cli.export_prompts import export_prompts
from rag_api.cli.follow_ups import follow_ups
from rag_api.cli.gaps import gaps
from rag_api.cli.index import index
from rag_api.cli.ingest import ingest
from rag_api.cli.judged import judged
from rag_api.cli.keys import keys
from rag_api.cli.mcp import mcp
from rag_api.cli.migrate import migrate
from rag_api.cli.openapi import openapi
from rag_api.cli.options import moved
from rag_api.cli.report import report
from rag_api.cli.serve import serve
from rag_api.cli.try_settings import try_settings
from rag_api.cli.users import users

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    help="""Answers for hospital staff from the hospital's own procedures, with the source opened at the highlighted words.

    Try it:  [bold]bedside demo[/]

    Your own documents:  [bold]bedside ingest FOLDER[/], then [bold]bedside serve[/]

    Settings are environment variables that begin with BEDSIDE_; without any, everything runs on this machine and is kept in
    ~/.local/share/bedside (BEDSIDE_DATA_DIR).""",
)

USE, MEASURE, KEEP = "Documents and questions", "Judged questions: does it find what staff ask?", "Upkeep"


def add(panel: str, *commands: Callable[..., None]) -> None:
    for command in commands:
        app.command(rich_help_panel=panel)(command)


add(USE, demo, serve, ingest, ask, documents, gaps, mcp)
app.add_typer(judged, name="judged", rich_help_panel=MEASURE)
app.command(rich_help_panel=MEASURE, cls=moved(MOVED))(evaluate)
app.command("try", rich_help_panel=MEASURE)(try_settings)
add(MEASURE, compare, report, calibrate, follow_ups, askers, export_prompts)
add(KEEP, doctor, migrate, backup, restore, abbreviations, openapi)
app.add_typer(users, name="users", rich_help_panel=KEEP)
app.add_typer(keys, name="keys", rich_help_panel=KEEP)
app.add_typer(audit, name="audit", rich_help_panel=KEEP)
app.add_typer(index, name="index", rich_help_panel=KEEP)
app.add_typer(bench, name="bench", rich_help_panel=KEEP)

if __name__ == "__main__":
    app()
