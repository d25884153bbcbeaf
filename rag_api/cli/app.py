"""`bedside`: the commands, each in a file of its own. Each opens the parts it needs and prints what
came of it; nothing is decided here.

What a person reads goes to standard error while it runs; results go to standard output, as JSON
with --json.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

import rag_api.cli.benchmarks.bench_decision  # noqa: F401 - adds its command to `bench`
from rag_api.cli.ask import ask
from rag_api.cli.benchmarks.bench import bench
from rag_api.cli.content.abbreviations import abbreviations
from rag_api.cli.content.documents import documents
from rag_api.cli.content.gaps import gaps
from rag_api.cli.content.index import index
from rag_api.cli.content.ingest import ingest
from rag_api.cli.content.judged import judged
from rag_api.cli.openapi import openapi
from rag_api.cli.options import moved_to
from rag_api.cli.people.keys import keys
from rag_api.cli.people.owners import owners
from rag_api.cli.people.users import users
from rag_api.cli.quality.askers import askers
from rag_api.cli.quality.calibrate import calibrate
from rag_api.cli.quality.compare import compare
from rag_api.cli.quality.evaluate import evaluate
from rag_api.cli.quality.export_prompts import export_prompts
from rag_api.cli.quality.follow_ups import follow_ups
from rag_api.cli.quality.report import report
from rag_api.cli.quality.try_settings import try_settings
from rag_api.cli.serving.demo import demo
from rag_api.cli.serving.mcp import mcp
from rag_api.cli.serving.serve import serve
from rag_api.cli.upkeep.audit import audit
from rag_api.cli.upkeep.backup import backup, restore
from rag_api.cli.upkeep.doctor import doctor
from rag_api.cli.upkeep.migrate import migrate
from rag_api.cli.upkeep.pack import pack

quality = typer.Typer(
    no_args_is_help=True, help="Measure on reviewed questions, compare, and fit what is decided to your own."
)
for command in (evaluate, compare, report, calibrate, follow_ups, askers, export_prompts):
    quality.command()(command)
quality.command("try")(try_settings)
MOVED = ("evaluate", "try", "compare", "report", "calibrate", "follow-ups", "askers", "export-prompts")

app = typer.Typer(
    cls=moved_to("quality", *MOVED),
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

USE, MEASURE, KEEP = "Documents and questions", "Reviewed questions: does it find what staff ask?", "Upkeep"


def add(panel: str, *commands: Callable[..., None]) -> None:
    for command in commands:
        app.command(rich_help_panel=panel)(command)


add(USE, demo, serve, ingest, ask, documents, gaps, mcp)
app.add_typer(judged, name="judged", rich_help_panel=MEASURE)
app.add_typer(quality, name="quality", rich_help_panel=MEASURE)
add(KEEP, doctor, migrate, backup, restore, pack, abbreviations, openapi)
app.add_typer(users, name="users", rich_help_panel=KEEP)
app.add_typer(keys, name="keys", rich_help_panel=KEEP)
app.add_typer(owners, name="owners", rich_help_panel=KEEP)
app.add_typer(audit, name="audit", rich_help_panel=KEEP)
app.add_typer(index, name="index", rich_help_panel=KEEP)
app.add_typer(bench, name="bench", rich_help_panel=KEEP)

if __name__ == "__main__":
    app()
