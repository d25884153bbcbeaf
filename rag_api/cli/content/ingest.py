"""`bedside ingest`: documents in, with a bar while it runs and what became of each file."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.audited import also, begun
from rag_api.cli.console import opened, say
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.config import Settings
    from rag_api.container import Container
    from rag_api.db.documents import PgDocuments
    from rag_api.ingest.pipeline.engine import IngestEngine
    from rag_api.ingest.sharepoint import Site
    from rag_api.ingest.sources.report import IngestReport
    from rag_api.ingest.sources.sources import Survey


def ingest(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files (PDF, Word, sheets, slides, text, mails), folders with them, and URLs of folders.",
            show_default=False,
        ),
    ] = None,
    sources: Annotated[
        Path | None,
        typer.Option(help="A TOML file of folders and SharePoint sites, and what is true of all documents of each."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on until Ctrl-C: take in what is new or changed, take out what is gone.")
    ] = False,
    retire_missing: Annotated[
        bool,
        typer.Option(
            "--retire-missing", help="Take out the documents that came from these folders and are no longer in them."
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Take them out even when it is more than a tenth, or all.")
    ] = False,
    ray: Annotated[
        str | None,
        typer.Option(help="Work on a Ray cluster: `auto`, the one that this machine is part of, or its address."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Of the cluster, so many of each kind; one a core when absent.")
    ] = None,
    stop: Annotated[
        bool, typer.Option("--stop", help="Ask whoever ingests just now, in whatever process, to end.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Load documents: read, clean, cut into passages, embed, index.

    A document is known by its path below the folder given. Unchanged files are skipped, changed
    ones replace their old version, and a file that cannot be read is reported and stops nothing
    else. Interrupted, it goes on where it was when run again. A file that was moved or renamed
    keeps its document; one that is gone is named, and is answered from until it is taken out.

    A CSV file `metadata.csv` beside the documents (columns: source, title, department, version,
    valid_from, ...) says what the files themselves do not.
    """
    if stop:
        run_stop()
        return
    if watch and ray:
        raise typer.BadParameter("a cluster is for one run over much: leave out --watch", param_hint="--ray")
    if bool(paths) == (sources is not None):
        raise typer.BadParameter("name the files and folders, or a list of folders with --sources", param_hint="PATHS")
    from rag_api.audit.shown import ingested

    with opened() as container:
        if watch:
            run_watch(container, [Path(path) for path in paths or []], sources)
            return
        with on_cluster(container, ray, workers) as engine:
            report = run_ingest(
                container, paths or [], source_list=sources, retire_missing=retire_missing, confirmed=yes, engine=engine
            )  # fmt: skip
        also(**ingested(report))
        print_report(report)
        if as_json:
            from rag_api.api.mapping import ingest_out

            numbers = {"pages": report.pages, "chunks": report.chunks, "seconds": round(report.seconds, 3)}
            typer.echo(json.dumps(ingest_out(report).model_dump(mode="json") | numbers, ensure_ascii=False))


def run_ingest(
    container: Container,
    paths: Sequence[Path | str],
    *,
    source_list: Path | None = None,
    retire_missing: bool = False,
    confirmed: bool = False,
    engine: IngestEngine | None = None,
) -> IngestReport:
    from rag_api.db.documents import PgDocuments
    from rag_api.ingest.pipeline.index import ingest
    from rag_api.ingest.source_list import survey_list
    from rag_api.ingest.sources.retries import AWAY

    found = (
        survey_list(source_list, lambda site: look_at_site(container, site))
        if source_list is not None
        else survey_all(paths)
    )
    with ingest_progress() as progress:
        return ingest(
            found,
            settings=container.settings,
            documents_repo=PgDocuments(container.db, open_to=container.settings.open_to),
            store=container.store,
            embedder=container.embedder,
            progress=progress,
            retire_missing=retire_missing,
            confirmed=confirmed,
            engine=engine,
            wait=AWAY,
        )


def survey_all(paths: Sequence[Path | str]) -> Survey:
    """Look through paths of this machine, and URLs."""
    from rag_api.ingest.sources.object_survey import survey_url
    from rag_api.ingest.sources.objects import is_url
    from rag_api.ingest.sources.sources import joined, survey

    urls = [str(path) for path in paths if is_url(str(path))]
    here = survey([Path(path) for path in paths if str(path) not in urls])
    return joined([here, *map(survey_url, urls)]) if urls else here


@contextmanager
def on_cluster(container: Container, address: str | None, workers: int | None) -> Iterator[IngestEngine | None]:
    """Join the cluster, where one is named. Raises ConfigurationError."""
    if address is None:
        yield None
        return
    from rag_api.embed import open_embedder
    from rag_api.ingest.cluster.connect import check_settings
    from rag_api.ingest.cluster.engine import ray_cluster
    from rag_api.ingest.cluster.steps import Openers
    from rag_api.stores import open_store

    check_settings(container.settings)
    with ray_cluster(
        address, container.settings, Openers(open_documents, open_store, open_embedder), container.embedder, workers
    ) as engine:
        say(
            f"  on Ray: {engine.pools.readers} readers, {engine.pools.embedders} embedders, {engine.pools.writers} "
            f"writers"
        )
        yield engine


def open_documents(settings: Settings) -> PgDocuments:
    """Return the documents list, for a process of its own."""
    from rag_api.db import Database
    from rag_api.db.documents import PgDocuments

    assert settings.database_url is not None
    return PgDocuments(Database(settings.database_url.get_secret_value(), max_size=2), open_to=settings.open_to)


def run_stop() -> None:
    from rag_api.db.documents import ask_to_stop
    from rag_api.db.sentences import ingesting

    with opened() as container:
        if not ingesting(container.db):
            say("Nothing is being ingested.")
            return
        ask_to_stop(container.db)
        say("Asked to stop. What was done stays; the next run goes on from there.")


def look_at_site(container: Container, site: Site) -> Survey:
    """What a library of SharePoint holds now; what is new of it is downloaded. Raises InvalidInput,
    SourceUnavailable."""
    from rag_api.db.ingestion.drives import PgDrives
    from rag_api.ingest.sharepoint.client import GraphClient
    from rag_api.ingest.sharepoint.site import secret_of
    from rag_api.ingest.sharepoint.sync import sync
    from rag_api.ingest.sources.sources import KeptFiles

    say(f"  looking at {site.name} …")
    settings = container.settings
    with GraphClient(site, secret_of(site, settings.sharepoint_secret)) as client:
        return sync(site, client, PgDrives(container.db), KeptFiles(settings.data_dir), settings.max_file_mb)


def run_watch(container: Container, paths: list[Path], source_list: Path | None) -> None:
    """Ingest after each change, until Ctrl-C."""
    from rag_api.ingest.source_list import read_source_list
    from rag_api.ingest.sources.watch import SITES_EVERY, watch_folders

    listed = read_source_list(source_list) if source_list is not None else None
    folders = [folder.path for folder in listed.folders] if listed is not None else paths
    say("Watching; Ctrl-C stops.")
    with suppress(KeyboardInterrupt):
        watch_folders(
            folders,
            lambda retire: ingest_changes(container, paths, source_list, retire),
            lambda report: say(f"  {report}") if isinstance(report, str) else print_report(report),
            threading.Event(),
            every=SITES_EVERY if listed is not None and listed.sites else None,
        )


def ingest_changes(container: Container, paths: list[Path], source_list: Path | None, retire: bool) -> IngestReport:
    """One look at the folders: an entry of the audit trail where it changed anything."""
    from rag_api.audit.entry import Result
    from rag_api.audit.shown import ingested

    report = run_ingest(container, paths, source_list=source_list, retire_missing=retire)
    if (changed := ingested(report))["documents"]:
        said = begun("documents.ingested", "bedside ingest --watch", changed, origin="watch")
        container.trail.write(replace(said, result=Result.SUCCESS))
    return report


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
            rate = (
                f"{at.pages / at.seconds:.1f} pages/s, {at.chunks / at.seconds:.1f} passages/s"
                if at.seconds > 0.5
                else ""
            )
            bar.update(task, total=at.total, completed=at.done, rate=rate, description=_shortened(_described(at)))

        yield show


def _lines_of_progress(every: float = 10.0) -> Callable[[Any], None]:
    last = time.monotonic()

    def show(at: Any) -> None:
        nonlocal last
        if time.monotonic() - last > every:
            last = time.monotonic()
            # Documents differ: before half of them are done, what is left is anybody's guess.
            left = (
                f", about {at.seconds / at.done * (at.total - at.done):.0f} s left" if at.done * 2 >= at.total else ""
            )
            say(
                f"  {at.done} of {at.total} documents, {at.pages} pages, {at.chunks} passages, {at.seconds:.0f} s{left}"
            )

    return show


def _described(at: Any) -> str:
    return f"{at.source}, page {at.page} of {at.of}" if at.page else str(at.source)


def _shortened(name: str, length: int = 40) -> str:
    return name if len(name) <= length else "…" + name[1 - length :]


def print_report(report: IngestReport) -> None:
    from rag_api.ingest.common.remedies import advice

    for item in report.items:
        if item.outcome == "failed":
            say(f"  {'kept' if item.kept else 'failed'}: {item.message or item.source}. {advice(item.reason)}")
        if item.renamed_from:
            say(f"  moved: {item.source} was {item.renamed_from}")
        for warning in item.warnings if item.outcome == "indexed" else ():
            say(f"  note: {item.source}: {warning}")
    if noted := sum(item.outcome == "unchanged" and bool(item.warnings) for item in report.items):
        say(f"  {noted} unchanged documents have notes: `bedside documents` shows them")
    for note in report.notes:
        say(f"  note: {note}")
    for titled in report.retitled:
        say(
            f"  title: {titled.source} is now called {titled.after!r}: {titled.before!r} is on many documents, so it "
            f"is a letterhead"
        )
    for missing in report.missing:
        say(f"  missing: {missing.source} ({missing.title}) is no longer there, and is still answered from")
    if report.missing:
        say("  What is missing is taken out with --retire-missing, or one by one on the page for documents.")
    rate = report.pages / report.seconds if report.seconds > 0 else 0.0
    counts = f"{report.indexed} indexed, {report.unchanged} unchanged, {report.failed} failed"
    counts += f" ({report.kept} answer as before for now)" if report.kept else ""
    counts += f", {report.retired} retired" if report.retired else ""
    say(f"  {counts}; {report.pages} pages and {report.chunks} passages in {report.seconds:.1f} s ({rate:.1f} pages/s)")
    if report.cut:
        say(f"  {report.cut} lines left out as headers, footers and page numbers: each is in its document's record")
    if report.from_images:
        were = (
            "1 page was read from its image"
            if report.from_images == 1
            else f"{report.from_images} pages were read from their image"
        )
        say(f"  {were}; what is in doubt there is found and shown, never quoted")
    for skipped in report.skipped:
        more = ", …" if skipped.count > len(skipped.examples) else ""
        say(f"  not read: {skipped.count} {skipped.kind} ({', '.join(skipped.examples)}{more})")
