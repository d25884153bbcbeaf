"""`bedside`: the commands. Each opens the parts it needs and prints what came of it; nothing is decided here.

What a person reads goes to standard error while it runs; results go to standard output, as JSON with --json.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rag_api.config import Settings
    from rag_api.ingest import IngestReport
    from rag_api.parts import Parts
    from rag_api.types import Answer, Mode

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

# Stands in the handbook's judged set, so that anyone can check the answer.
SAMPLE = "paracetamol iv kind 12 kg hoeveel per gift?"

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]


# --- What the commands share ---------------------------------------------------------------------------------------------


def say(line: str) -> None:
    typer.echo(line, err=True)


def read_settings() -> Settings:
    """Nonsense in the environment is answered with the variable's name and a sentence, not a traceback."""
    from pydantic import ValidationError

    from rag_api.config import Settings

    try:
        return Settings()
    except ValidationError as error:
        for wrong in error.errors():
            name = "".join(f"BEDSIDE_{str(part).upper()}: " for part in wrong["loc"][:1])
            say(f"{name}{str(wrong['msg']).removeprefix('Value error, ')}")
        raise typer.Exit(2) from None


@contextmanager
def opened(settings: Settings | None = None) -> Iterator[Parts]:
    """The parts, closed at the end however it comes; what a user can cause or must hear of is one sentence."""
    from rag_api.errors import BedsideError
    from rag_api.parts import Parts

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that embedded servers are stopped too
    try:
        with Parts(settings or read_settings(), say) as parts:
            yield parts
    except BedsideError as error:
        say(f"bedside: {error.message}")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        say("stopped")
        raise typer.Exit(130) from None


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


def run_ingest(parts: Parts, paths: list[Path], *, retire_missing: bool = False) -> IngestReport:
    from rag_api.db.documents import PgDocuments
    from rag_api.ingest import find_sources, ingest

    with ingest_progress() as progress:
        return ingest(
            find_sources(paths),
            settings=parts.settings,
            documents_repo=PgDocuments(parts.db),
            store=parts.store,
            embedder=parts.embedder,
            progress=progress,
            retire_missing=retire_missing,
        )


@contextmanager
def ingest_progress() -> Iterator[Callable[[Any], None]]:
    """A bar with rate and time left on a terminal; a line now and then elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines_of_progress()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("documents", total=None, rate="")

        def show(at: Any) -> None:
            rate = f"{at.pages / at.seconds:.1f} pages/s, {at.chunks / at.seconds:.1f} passages/s" if at.seconds > 0.5 else ""
            bar.update(task, total=at.total, completed=at.done, rate=rate, description=_shortened(at.source))

        yield show


def _lines_of_progress(every: float = 10.0) -> Callable[[Any], None]:
    last = time.monotonic()

    def show(at: Any) -> None:
        nonlocal last
        if time.monotonic() - last > every:
            last = time.monotonic()
            left = at.seconds / at.done * (at.total - at.done) if at.done else 0.0
            say(f"  {at.done} of {at.total} documents, {at.pages} pages, {at.chunks} passages, {at.seconds:.0f} s, about {left:.0f} s left")

    return show


def _shortened(name: str, length: int = 40) -> str:
    return name if len(name) <= length else "…" + name[1 - length :]


def print_report(report: IngestReport) -> None:
    for item in report.items:
        if item.outcome == "failed":
            say(f"  failed: {item.message or item.source}")
    rate = report.pages / report.seconds if report.seconds > 0 else 0.0
    counts = f"{report.indexed} indexed, {report.unchanged} unchanged, {report.failed} failed"
    counts += f", {report.retired} retired" if report.retired else ""
    say(f"  {counts}; {report.pages} pages and {report.chunks} passages in {report.seconds:.1f} s ({rate:.1f} pages/s)")


def run_ask(parts: Parts, question: str, mode: Mode | None, on_token: Callable[[str], None] | None = None) -> Answer:
    """The stored answer. Raises what ask() fails with."""
    import asyncio

    from rag_api.answer import ask as asking
    from rag_api.answer import new_question
    from rag_api.errors import BedsideError
    from rag_api.types import LOCAL_USER, Done, Failed, Token

    async def collect() -> Answer:
        asked = new_question(LOCAL_USER, parts, question, mode=mode)
        try:
            async for event in asking(asked, LOCAL_USER, parts):
                if isinstance(event, Token) and on_token:
                    on_token(event.text)
                if isinstance(event, Done):
                    return event.answer
                if isinstance(event, Failed):
                    raise BedsideError(event.message)
        finally:
            await parts.generator.close()
        raise AssertionError("ask() ended without Done or Failed")

    return asyncio.run(collect())


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
    spans = [{"start": c.start, "end": c.end, "document": names[c.document_id], "page": c.page, "text": c.text} for c in answer.citations]
    return {
        "question": answer.question,
        "answer": answer.text,
        "status": answer.status.value,
        "sources": sources,
        "spans": spans,
        "notices": [notice.text for notice in answer.notices],
        "model": answer.model,
        "stats": answer.stats,
    }


def print_answer(answer: Answer, *, text: bool = True) -> None:
    """The answer, where each quote comes from, and how fast it was written."""
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
            f" {mark}{source.hit.rank}. {about.title or source.document.source}{version}, page {source.page} (score {source.hit.score:.2f})"
        )
    stats = answer.stats
    speed = f"{stats['tokens']} tokens, {stats['tokens_per_step']:.2f} a step, " if "tokens_per_step" in stats else ""
    say(f"  {speed}{stats['seconds']:.2f} s")


def run_server(parts: Parts) -> None:
    """Until Ctrl-C or SIGTERM."""
    import uvicorn

    from rag_api import logs
    from rag_api.main import create_app

    settings = parts.settings
    logs.configure(settings.log_format or ("json" if settings.environment == "production" else "text"))
    application = create_app(settings, parts)
    uvicorn.run(
        application, host=settings.host, port=settings.port, log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=5,
    )  # fmt: skip


# --- The commands --------------------------------------------------------------------------------------------------------


@app.command()
def demo(
    once: Annotated[bool, typer.Option("--once", help="Stop after the sample answer instead of serving.")] = False,
    as_json: AsJson = False,
    question: Annotated[str, typer.Option(help="What to ask instead of the sample question.")] = SAMPLE,
) -> None:
    """Everything on this machine: ingest the sample handbook, ask it a question, then serve the page until Ctrl-C.

    The hospital in it does not exist, and the small model is not for clinical use. With --once --json the last line of standard
    output is the answer as JSON.
    """
    from rag_api import handbook

    pdfs = Path(handbook.__file__).parent / "pdf"
    step = Steps()
    with opened() as parts:
        if parts.settings.environment == "production":
            say("bedside: the demo fills the database with a fictional hospital's documents; it does not run in production.")
            raise typer.Exit(2)
        parts.start_generator()  # loads beside the rest
        with step("starting the database"):
            parts.db.ping()
        with step("opening the search index"):
            parts.store.count()
        with step("ingesting the sample handbook"):
            report = run_ingest(parts, [pdfs])
        print_report(report)
        with step("loading the language model"):
            parts.wait_for_generator()
        with step("answering the sample question"):
            answer = run_ask(parts, question, None)
        say(f"\nQuestion: {question}")
        print_answer(answer, text=not as_json)
        if as_json:
            typer.echo(json.dumps(answer_json(answer), ensure_ascii=False))
            sys.stdout.flush()
        if not once:
            say(f"\nReady after {time.monotonic() - step.began:.1f} s: {url_of(parts)}   (Ctrl-C stops)\n")
            run_server(parts)


def url_of(parts: Parts) -> str:
    settings = parts.settings
    return f"http://{'localhost' if settings.host in ('127.0.0.1', '0.0.0.0', '::') else settings.host}:{settings.port}"  # noqa: S104


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; BEDSIDE_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; BEDSIDE_PORT.")] = None,
) -> None:
    """Serve the API and the page until Ctrl-C.

    What is not configured is started here: a PostgreSQL server, and the generator with its model, which loads in the background:
    until it is ready questions get their sources.
    """
    settings = read_settings()
    settings = settings.model_copy(update={name: value for name, value in {"host": host, "port": port}.items() if value is not None})
    with opened(settings) as parts:
        parts.start_generator()
        parts.warm()
        say(f"Bedside: {url_of(parts)}   (Ctrl-C stops)")
        run_server(parts)


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="PDF and DOCX files, and folders with them.", show_default=False)],
    retire_missing: Annotated[
        bool, typer.Option("--retire-missing", help="Take out every document that is not among these: for the whole collection at once.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Load documents: read, clean, cut into passages, embed, index.

    A document is known by its path below the folder given. Unchanged files are skipped, changed ones replace their old version, and
    a file that cannot be read is reported and stops nothing else. Interrupted, it goes on where it was when run again.

    A CSV file `metadata.csv` beside the documents (columns: source, title, department, version, valid_from, ...) says what the
    files themselves do not.
    """
    with opened() as parts:
        report = run_ingest(parts, paths, retire_missing=retire_missing)
        print_report(report)
        if as_json:
            from rag_api.convert import ingest_out

            numbers = {"pages": report.pages, "chunks": report.chunks, "seconds": round(report.seconds, 3)}
            typer.echo(json.dumps(ingest_out(report).model_dump(mode="json") | numbers, ensure_ascii=False))


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="In Dutch or English, as you would ask a colleague.", show_default=False)],
    mode: Annotated[str | None, typer.Option(help="verbatim (exact quotes), answer (the model's words) or sources (no model).")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask one question and print the answer with its sources."""
    from rag_api.types import Mode

    if mode is not None and mode not in list(Mode):
        raise typer.BadParameter(f"{mode!r}: choose verbatim, answer or sources", param_hint="--mode")
    with opened() as parts:
        if mode != Mode.SOURCES:
            parts.start_generator()
        parts.warm()
        if mode != Mode.SOURCES:
            parts.wait_for_generator()
        stream = not as_json and sys.stdout.isatty()
        answer = run_ask(parts, question, Mode(mode) if mode else None, (lambda text: typer.echo(text, nl=False)) if stream else None)
        if as_json:
            typer.echo(json.dumps(answer_json(answer), ensure_ascii=False))
        else:
            typer.echo("") if stream else None
            print_answer(answer, text=not stream or not answer.text)


@app.command()
def migrate() -> None:
    """Bring the database up to date. Safe to run at any time and from several machines at once."""
    from rag_api.db.migrate import migrate as run

    settings = read_settings()
    with opened(settings) as parts:
        if settings.database_url is None:
            parts.db.ping()  # the embedded one is migrated whenever it is opened
            say("The embedded database is up to date.")
            return
        applied = run(settings.database_url.get_secret_value())
        say(f"Applied: {', '.join(applied)}" if applied else "The database is up to date.")


@app.command()
def documents(
    search: Annotated[str, typer.Option(help="Only those with this in title or file name.")] = "",
    status: Annotated[str | None, typer.Option(help="indexed, failed, retired or replaced; the first two when absent.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the documents, with what became of each."""
    from rag_api.db.documents import DocumentQuery, list_documents
    from rag_api.types import LOCAL_USER, DocumentStatus

    if status is not None and status not in list(DocumentStatus):
        raise typer.BadParameter(f"{status!r}: choose indexed, failed, retired or replaced", param_hint="--status")
    with opened() as parts:
        query = DocumentQuery(search, DocumentStatus(status) if status else None, limit=1_000_000)
        found, total = list_documents(parts.db, LOCAL_USER, query)
    if as_json:
        from rag_api.convert import document_out

        typer.echo(json.dumps({"documents": [document_out(d).model_dump(mode="json") for d in found], "total": total}, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("Title", "Version", "File", "Pages", "Passages", "Status", box=None, pad_edge=False)
    for d in found:
        state = d.status.value + (f" ({d.reason})" if d.reason else "")
        table.add_row(d.metadata.title, d.metadata.version, d.source, str(d.page_count), str(d.chunk_count), state)
    Console(soft_wrap=not sys.stdout.isatty()).print(table)
    say(f"{total} documents")


@app.command()
def openapi() -> None:
    """Print the API's OpenAPI document: the page's TypeScript client is generated from it."""
    from rag_api.config import Settings
    from rag_api.main import create_app

    typer.echo(json.dumps(create_app(Settings.model_construct(**_defaults())).openapi(), indent=2, ensure_ascii=False))


def _defaults() -> dict[str, Any]:
    """Settings as if the environment were empty: the document must not depend on it."""
    from rag_api.config import Settings

    return {name: field.get_default(call_default_factory=True) for name, field in Settings.model_fields.items()}


if __name__ == "__main__":
    app()
