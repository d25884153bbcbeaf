"""`bedside`: the commands. Each opens the parts it needs and prints what came of it; nothing is decided here.

What a person reads goes to standard error while it runs; results go to standard output, as JSON with --json.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.bench.commands import bench
from rag_api.commands.abbreviations import abbreviations
from rag_api.commands.gaps import gaps
from rag_api.commands.index import index
from rag_api.commands.judged import judged
from rag_api.terminal import (
    Steps,
    answer_json,
    counting,
    opened,
    print_answer,
    print_figures,
    print_report,
    read_settings,
    run_ask,
    run_asks,
    run_ingest,
    run_watch,
    say,
    wide_console,
)

if TYPE_CHECKING:
    from rag_api.evaluate import Judged
    from rag_api.parts import Parts

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

app.add_typer(bench, name="bench")
app.add_typer(index, name="index")
app.command()(abbreviations)
app.add_typer(judged, name="judged")

# Stands in the handbook's judged set, so that anyone can check the answer.
SAMPLE = "paracetamol iv kind 12 kg hoeveel per gift?"

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]


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
    from rag_api.expand import put_lists

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
        put_lists(pdfs.parent, parts.settings.data_dir)
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
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files (PDF, Word, sheets, slides, text, mails), and folders with them.", show_default=False)
    ] = None,
    sources: Annotated[Path | None, typer.Option(help="A TOML file of folders and what is true of all documents of each.")] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on until Ctrl-C: take in what is new or changed, take out what is gone.")
    ] = False,
    retire_missing: Annotated[
        bool, typer.Option("--retire-missing", help="Take out the documents that came from these folders and are no longer in them.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Take them out even when it is more than a tenth, or all.")] = False,
    as_json: AsJson = False,
) -> None:
    """Load documents: read, clean, cut into passages, embed, index.

    A document is known by its path below the folder given. Unchanged files are skipped, changed ones replace their old version, and
    a file that cannot be read is reported and stops nothing else. Interrupted, it goes on where it was when run again. A file that was
    moved or renamed keeps its document; one that is gone is named, and is answered from until it is taken out.

    A CSV file `metadata.csv` beside the documents (columns: source, title, department, version, valid_from, ...) says what the
    files themselves do not.
    """
    if bool(paths) == (sources is not None):
        raise typer.BadParameter("name the files and folders, or a list of folders with --sources", param_hint="PATHS")
    with opened() as parts:
        if watch:
            run_watch(parts, paths or [], sources)
            return
        report = run_ingest(parts, paths or [], source_list=sources, retire_missing=retire_missing, confirmed=yes)
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
    from rich.markup import escape
    from rich.table import Table

    from rag_api.ingest.advice import advice

    table = Table("Title", "Version", "File", "Pages", "Passages", "Status", "Notes", box=None, pad_edge=False)
    for d in found:
        state = d.status.value + (f" ({d.reason})" if d.reason else "")
        notes = "; ".join(filter(None, (*d.warnings, advice(d.reason))))
        table.add_row(d.metadata.title, d.metadata.version, d.source, str(d.page_count), str(d.chunk_count), state, escape(notes))
    wide_console().print(table)
    say(f"{total} documents")


@app.command()
def evaluate(
    judged: Annotated[Path | None, typer.Option("--set", help="A CSV file of judged questions; the sample handbook's when absent.")] = None,
    stored: Annotated[str | None, typer.Option(help="A judged set of the database, by its name, instead of a file.")] = None,
    split: Annotated[str, typer.Option(help="validate, test or all. Tune on validate, report test.")] = "all",
    answers: Annotated[bool, typer.Option("--answers", help="Also answer every answerable question, and count the right answers.")] = False,
    versus: Annotated[
        list[str] | None, typer.Option(help="Compare with another setting, question by question: alpha=0.5. On the validate half only.")
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None, typer.Option(help="Measure nothing; compare two runs that --json printed into files: A.json B.json.")
    ] = None,
    follow_ups: Annotated[
        bool,
        typer.Option("--follow-ups", help="Measure follow-up questions instead (--set: with a column previous), literal and rewritten."),
    ] = False,
    askers: Annotated[
        bool, typer.Option("--askers", help="Measure instead what knowing the asker's function or department changes, and what it costs.")
    ] = False,
    html: Annotated[Path | None, typer.Option(help="Write a report with plots into this file.")] = None,
    export_decoding: Annotated[
        Path | None, typer.Option(help="Write prompts with three passages each (jsonl) for measuring decoding, and print their statistics.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many prompts of --export-decoding.")] = 165,
    tokenizer: Annotated[Path | None, typer.Option(help="A tokenizer.json to count the tokens of --export-decoding with.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure retrieval on questions that people have judged.

    Hit@k: how often the right document is among the first k. MRR: the mean of 1 over its rank. not_found: how often "no document
    answers this" was right (precision), and how many unanswerable questions it was said of (recall). The judged documents must be
    indexed: for the handbook, `bedside demo --once` does that.

    A judged set has the columns id, question, document (empty: no answer), and if known language, page, span, split, function and
    department (of who asks), conversation, found. Another row with the same id is another place that answers.
    """
    from rag_api import quality, quality_askers, quality_prompts
    from rag_api.evaluate.plots import need_matplotlib

    if split not in ("validate", "test", "all"):
        raise typer.BadParameter(f"{split!r}: choose validate, test or all", param_hint="--split")
    if compare:
        _print_comparison(quality.compared(compare), (compare[0].stem, compare[1].stem), as_json)
        return
    with opened() as parts:
        if html:
            need_matplotlib()
        if follow_ups:
            quality.print_follow_ups(quality.follow_ups(parts, judged, split), as_json)
            return
        if answers:
            parts.start_generator()
        questions = quality.judged_questions(parts, judged, stored, split)
        if export_decoding:
            made = quality_prompts.export_decoding(export_decoding, parts, questions, ask=answers, limit=limit, tokenizer=tokenizer)
            typer.echo(json.dumps(made, ensure_ascii=False))
            return
        if askers:
            table = quality_askers.by_asker(parts, questions)
            typer.echo(json.dumps(table)) if as_json else quality_askers.print_askers(table)
            return
        if versus:
            quality.refuse_test(questions, "a setting")
        outcomes = quality.measure(parts, questions)
        if versus:
            _print_comparison(quality.versus(parts, questions, outcomes, versus), ("now", ", ".join(versus)), as_json)
            return
        figures = quality.figures_of(outcomes, parts)
        if answers:
            figures["answers"] = _answer_figures(parts, [question for question in questions if question.answerable])
        if html:
            quality.write_html(html, parts, questions, figures, f"{stored or (judged.name if judged else 'Sample handbook')}, {split}")
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False))
    else:
        print_figures(figures)


def _print_comparison(found: dict[str, Any], names: tuple[str, str], as_json: bool) -> None:
    from rag_api.quality import print_comparison

    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        print_comparison(found, names)


def _answer_figures(parts: Parts, questions: list[Judged]) -> dict[str, Any]:
    """Asked as a user of its own, so that nobody finds the evaluation among their conversations."""
    from statistics import median

    from rag_api.evaluate.answers import accuracy
    from rag_api.types import AnswerStatus, User

    parts.wait_for_generator()
    given = []
    with counting("answers", len(questions)) as tell:
        asker = User(id="evaluation", name="Evaluation", groups=("everyone",))
        for answer in run_asks(parts, [question.question for question in questions], asker, None):
            given.append(answer)
            tell(len(given))
    texts = {question.id: answer.text for question, answer in zip(questions, given, strict=True)}
    written = [answer for answer in given if answer.status == AnswerStatus.ANSWERED]
    exact = [answer for answer in written if answer.text == "".join(citation.text for citation in answer.citations)]
    speeds = [answer.stats["tokens_per_step"] for answer in written if "tokens_per_step" in answer.stats]
    return {
        **accuracy(texts, questions),
        "answered": len(written),
        "not_found": sum(answer.status == AnswerStatus.NOT_FOUND for answer in given),
        "median_characters": median(len(answer.text) for answer in written) if written else 0,
        "exact": len(exact),  # answers that are nothing but copied spans
        "median_seconds": round(median(answer.stats["seconds"] for answer in given), 3),
        "median_tokens_per_step": round(median(speeds), 2) if speeds else None,
    }


@app.command()
def calibrate(
    judged: Annotated[Path | None, typer.Option("--set", help="A CSV file of judged questions; the sample handbook's when absent.")] = None,
    stored: Annotated[str | None, typer.Option(help="A judged set of the database, by its name, instead of a file.")] = None,
    model: Annotated[bool, typer.Option("--model", help="Also measure what the language model's likelihoods add; minutes.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write here instead of into the data directory.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Fit to judged questions which sentences are quoted, how many, and when to say that there is no answer.

    Only the validate half of the set is used; the test half is for `bedside evaluate`. Every answerable question is asked again without
    its documents, so a set with few unanswerable ones will do. The values are kept in calibration.json in the data directory, for the
    embedder in use, and win over the shipped ones.
    """
    from rag_api import calibrating

    with opened() as parts:
        if model:
            parts.start_generator()
        calibrating.show(calibrating.calibrate(parts, judged, stored, model=model, out=out), as_json)


app.command()(gaps)


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
