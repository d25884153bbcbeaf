"""What the commands share: how they open the parts, say what they do, and print what came of it. People read standard error,
results go to standard output."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from rag_api.config import Settings
    from rag_api.errors import BedsideError
    from rag_api.ingest import IngestReport
    from rag_api.parts import Parts
    from rag_api.types import Answer, Mode, User


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


def make_data_dir(settings: Settings) -> None:
    """Nothing is kept where it cannot be: said at once, with the variable's name. A new one is closed to this machine's other users;
    started by root, the embedded PostgreSQL opens it again, for a user of its own."""
    try:
        settings.data_dir.expanduser().mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        say(f"BEDSIDE_DATA_DIR: {settings.data_dir} cannot be made or is no folder ({error.strerror})")
        raise typer.Exit(2) from None


@contextmanager
def opened(settings: Settings | None = None) -> Iterator[Parts]:
    """The parts, closed at the end however it comes; what a user can cause or must hear of is one sentence."""
    from rag_api.errors import BedsideError
    from rag_api.parts import Parts

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that embedded servers are stopped too
    settings = settings or read_settings()
    make_data_dir(settings)
    try:
        with Parts(settings, say) as parts:
            yield parts
    except BedsideError as error:
        say_error(error)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        say("stopped")
        raise typer.Exit(130) from None


@contextmanager
def said() -> Iterator[None]:
    """What a user can cause or must hear of is one sentence."""
    from rag_api.errors import BedsideError

    try:
        yield
    except BedsideError as error:
        say_error(error)
        raise typer.Exit(1) from None


def say_error(error: BedsideError) -> None:
    """Its sentence, and below it each row of a table that is wrong, when there are several."""
    from rag_api.errors import InvalidInput

    say(f"bedside: {error.message}")
    rows = error.rows if isinstance(error, InvalidInput) else ()
    for row in rows if len(rows) > 1 else ():
        say(f"  {row.where}: {row.what}")


def wide_console() -> Console:
    """Standard output for a table: as wide as the terminal, and into a file or a pipe as wide as the table is, with no name cut off."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=10_000)


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


def run_ingest(
    parts: Parts, paths: list[Path], *, source_list: Path | None = None, retire_missing: bool = False, confirmed: bool = False
) -> IngestReport:
    from rag_api.db.documents import PgDocuments
    from rag_api.ingest import ingest, survey, survey_list

    with ingest_progress() as progress:
        return ingest(
            survey_list(source_list) if source_list is not None else survey(paths),
            settings=parts.settings,
            documents_repo=PgDocuments(parts.db),
            store=parts.store,
            embedder=parts.embedder,
            progress=progress,
            retire_missing=retire_missing,
            confirmed=confirmed,
        )


def run_watch(parts: Parts, paths: list[Path], source_list: Path | None) -> None:
    """Ingest after each change, until Ctrl-C."""
    import threading

    from rag_api.ingest.source_list import read_source_list
    from rag_api.ingest.watch import watch_folders

    folders = [folder.path for folder in read_source_list(source_list)] if source_list is not None else paths
    say("Watching; Ctrl-C stops.")
    with suppress(KeyboardInterrupt):
        watch_folders(
            folders,
            lambda retire: run_ingest(parts, paths, source_list=source_list, retire_missing=retire),
            lambda told: say(f"  {told}") if isinstance(told, str) else print_report(told),
            threading.Event(),
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


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar for something countable: call it with how many are done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def _lines_of_progress(every: float = 10.0) -> Callable[[Any], None]:
    last = time.monotonic()

    def show(at: Any) -> None:
        nonlocal last
        if time.monotonic() - last > every:
            last = time.monotonic()
            # Documents differ: before half of them are done, what is left is anybody's guess.
            left = f", about {at.seconds / at.done * (at.total - at.done):.0f} s left" if at.done * 2 >= at.total else ""
            say(f"  {at.done} of {at.total} documents, {at.pages} pages, {at.chunks} passages, {at.seconds:.0f} s{left}")

    return show


def _shortened(name: str, length: int = 40) -> str:
    return name if len(name) <= length else "…" + name[1 - length :]


def print_report(report: IngestReport) -> None:
    from rag_api.ingest.advice import advice

    for item in report.items:
        if item.outcome == "failed":
            say(f"  failed: {item.message or item.source}. {advice(item.reason)}")
        if item.renamed_from:
            say(f"  moved: {item.source} was {item.renamed_from}")
        for warning in item.warnings if item.outcome == "indexed" else ():
            say(f"  note: {item.source}: {warning}")
    if noted := sum(item.outcome == "unchanged" and bool(item.warnings) for item in report.items):
        say(f"  {noted} unchanged documents have notes: `bedside documents` shows them")
    for missing in report.missing:
        say(f"  missing: {missing.source} ({missing.title}) is no longer there, and is still answered from")
    if report.missing:
        say("  What is missing is taken out with --retire-missing, or one by one on the page for documents.")
    for skipped in report.skipped:
        more = ", …" if skipped.count > len(skipped.examples) else ""
        say(f"  not read: {skipped.count} {skipped.kind} ({', '.join(skipped.examples)}{more})")
    rate = report.pages / report.seconds if report.seconds > 0 else 0.0
    counts = f"{report.indexed} indexed, {report.unchanged} unchanged, {report.failed} failed"
    counts += f", {report.retired} retired" if report.retired else ""
    say(f"  {counts}; {report.pages} pages and {report.chunks} passages in {report.seconds:.1f} s ({rate:.1f} pages/s)")


def run_ask(parts: Parts, question: str, mode: Mode | None, on_token: Callable[[str], None] | None = None) -> Answer:
    """The stored answer of the local user. Raises what ask() fails with."""
    from rag_api.types import LOCAL_USER

    return next(run_asks(parts, [question], LOCAL_USER, mode, on_token))


def run_asks(
    parts: Parts, questions: Iterable[str], user: User, mode: Mode | None, on_token: Callable[[str], None] | None = None
) -> Generator[Answer]:
    """The stored answers, one after another, each in a conversation of its own. Raises what ask() fails with."""
    import asyncio

    with asyncio.Runner() as runner:
        try:
            for question in questions:
                yield runner.run(_asked(parts, question, user, mode, on_token))
        finally:
            runner.run(parts.generator.close())


async def _asked(parts: Parts, question: str, user: User, mode: Mode | None, on_token: Callable[[str], None] | None) -> Answer:
    from rag_api.answer import ask, new_question
    from rag_api.errors import BedsideError
    from rag_api.types import Done, Failed, Token

    async for event in ask(new_question(user, parts, question, mode=mode), user, parts):
        if isinstance(event, Token) and on_token:
            on_token(event.text)
        if isinstance(event, Done):
            return event.answer
        if isinstance(event, Failed):
            raise BedsideError(event.message)
    raise AssertionError("ask() ended without Done or Failed")


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


def print_figures(figures: dict[str, Any]) -> None:
    """The figures of bedside evaluate as a table: all questions, then each language and split."""
    from rich.table import Table

    names = ("hit@1", "hit@3", "hit@7", "mrr")
    table = Table("", "n", *names, "not found: precision", "recall", box=None, pad_edge=False)
    rows = {"all": figures, **figures["languages"], **figures.get("crossed", {}), **figures["splits"]}
    for name, row in rows.items():
        decided = row["not_found"]
        table.add_row(name, str(row["n"]), *(f"{row[n]:.3f}" for n in names), f"{decided['precision']:.3f}", f"{decided['recall']:.3f}")
    wide_console().print(table)
    print_askers(figures)
    print_refusals(figures)
    if "answers" in figures:
        found = figures["answers"]
        by = ", ".join(f"{name} {own['accuracy']:.3f} of {own['n']}" for name, own in found["languages"].items())
        say(f"right answers: {found['accuracy']:.3f} of {found['n']} ({by}), median {found['median_seconds']:.2f} s")


def print_askers(figures: dict[str, Any]) -> None:
    """First hits for other patients than the question's, and what the asker's function does to them."""
    found = figures.get("askers")
    if found is None:
        say(f"first hits for other patients: {figures['wrong_group_first']}")
        return
    for name, row in (("with the asker's function", found["with"]), ("without it", found["without"])):
        say(f"first hits for other patients, {name}: {row['wrong_group_first']} (Hit@1 {row['hit@1']:.3f}, MRR {row['mrr']:.3f})")


def print_refusals(figures: dict[str, Any]) -> None:
    """How "not found" was decided, and what other thresholds would do."""
    decided, between = figures["not_found"], figures["intervals"]
    if not decided["n"]:
        return
    low, high = between["not_found_precision"]
    say(f"not found, {decided['n']} questions without an answer: precision {decided['precision']:.2f} [{low:.2f}, {high:.2f}]")
    low, high = between["not_found_recall"]
    say(f"  recall {decided['recall']:.2f} [{low:.2f}, {high:.2f}], {decided['refused']:.1%} of the others refused")
    for wanted in (0.25, 0.5, 0.75, 0.9):
        point = next((p for p in decided["curve"] if p["recall"] >= wanted), None)
        if point:
            say(
                f"  recall {point['recall']:.2f} would have precision {point['precision']:.2f}, refusing {point['refused']:.1%}: "
                f"BEDSIDE_NOT_FOUND_THRESHOLD={point['threshold']}"
            )
