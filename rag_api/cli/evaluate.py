"""What the command evaluate does: it measures with the container that answer, and changes nothing in them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag_api.cli.console import counting, say

if TYPE_CHECKING:
    from rag_api.config import Settings
    from rag_api.container import Container
    from rag_api.domain import Document, User
    from rag_api.evaluate import Judged, Outcome
    from rag_api.retrieval.find import Retrieval

# Another value of these needs another index or another database, so a run of its own: then --compare.
NOT_AT_ONCE = ("store", "weaviate_", "embedder", "database_", "data_dir", "chunk_", "environment")


def judged_questions(container: Container, file: Path | None, stored: str | None, split: str) -> list[Judged]:
    """Of a file, of a set in the database, or the sample handbook's. Raises InvalidInput, NotFound."""
    from rag_api.errors import InvalidInput
    from rag_api.evaluate import HANDBOOK, read_judged

    if file and stored:
        raise InvalidInput("Give --set for a file or --stored for a set of the database, not both.")
    if stored:
        from rag_api.db.judged import read_set
        from rag_api.domain import LOCAL_USER

        return [question for question in read_set(container.db, LOCAL_USER, stored) if split in ("all", question.split)]
    return read_judged(file or HANDBOOK, split)  # type: ignore[arg-type]


def refuse_test(questions: Sequence[Judged], what: str) -> None:
    from rag_api.evaluate.splits import refuse_test as refuse

    refuse(questions, what)


def asker(judged: Judged) -> User:
    """Who asked, as far as the judged set says: function and department decide what comes first."""
    from rag_api.domain import LOCAL_USER

    return replace(LOCAL_USER, function=judged.function, department=judged.department)


def search(judged: Judged, container: Container, left_out: tuple[str, ...] = ()) -> Retrieval:
    """Return what the asker's question finds; `left_out`: ids of documents that are not looked at."""
    from rag_api.domain import Filters
    from rag_api.query.analysis import analyse
    from rag_api.retrieval.find import find

    return find(analyse(judged.question, container.expander), asker(judged), Filters(excluded_document_ids=left_out), container)


def indexed(container: Container) -> list[Document]:
    from rag_api.db.documents import DocumentQuery, list_documents
    from rag_api.domain import LOCAL_USER, DocumentStatus

    return list_documents(container.db, LOCAL_USER, DocumentQuery(status=DocumentStatus.INDEXED, limit=1_000_000))[0]


def measure(container: Container, questions: Sequence[Judged], settings: Settings | None = None, what: str = "questions") -> list[Outcome]:
    """What each asker gets from this index, with other settings when given. Raises InvalidInput when no judged document is indexed."""
    from rag_api.errors import InvalidInput
    from rag_api.evaluate import evaluate

    documents = indexed(container)
    sources = {document.id: document.source for document in documents}
    if not {place.document for question in questions for place in question.places} & set(sources.values()):
        raise InvalidInput("None of the judged documents is indexed. For the sample handbook: `bedside demo --once`.")
    about = {document.source: document.metadata for document in documents}
    asked = container.with_settings(settings) if settings else container
    with counting(what, len(questions)) as tell:
        return evaluate(questions, lambda judged: search(judged, asked), sources, tell, about)


def figures_of(outcomes: Sequence[Outcome], container: Container) -> dict[str, Any]:
    """All figures, those of each split when there are several, and the questions one by one. Those whose asker's function is known are
    asked once more without it: what it changes is `askers`."""
    from rag_api.evaluate import askers, report, rows_of

    splits = sorted({o.judged.split for o in outcomes})
    by_split = {name: report([o for o in outcomes if o.judged.split == name]) for name in splits} if len(splits) > 1 else {}
    about: dict[str, Any] = {"embedder": container.embedder.name, "store": container.settings.store}
    if known := [o.judged for o in outcomes if o.judged.function]:
        about["askers"] = askers(
            outcomes, measure(container, [replace(one, function="") for one in known], what="questions, function unsaid")
        )
    return {**report(outcomes), "splits": by_split, **about, "questions": rows_of(outcomes)}


def changed(settings: Settings, changes: Sequence[str]) -> Settings:
    """["alpha=0.5", ...] -> those settings. Raises InvalidInput."""
    from pydantic import ValidationError

    from rag_api.errors import InvalidInput

    values: dict[str, str] = {}
    for change in changes:
        name, sign, value = change.partition("=")
        name = name.strip().lower().removeprefix("bedside_")
        if not sign or name not in type(settings).model_fields:
            raise InvalidInput(f"--versus {change!r}: expected NAME=VALUE with the name of a setting, for example alpha=0.5")
        if name.startswith(NOT_AT_ONCE):
            raise InvalidInput(f"--versus {change!r}: that is another index; evaluate it by itself and use --compare A.json B.json")
        values[name] = value
    try:
        return type(settings).model_validate({**settings.model_dump(), **values})
    except ValidationError as error:
        raise InvalidInput("--versus: " + "; ".join(str(e["msg"]) for e in error.errors())) from error


def versus(container: Container, questions: Sequence[Judged], outcomes: Sequence[Outcome], changes: Sequence[str]) -> dict[str, Any]:
    """The same questions with other settings. Trying settings is tuning, so the test half is refused."""
    from rag_api.evaluate import rows_of
    from rag_api.evaluate.compare import compare

    refuse_test(questions, "a setting")
    other = measure(container, questions, changed(container.settings, changes), "questions, other settings")
    return compare(rows_of(outcomes), rows_of(other))


def write_html(path: Path, container: Container, questions: Sequence[Judged], figures: dict[str, Any], title: str) -> None:
    """Asks the answerable questions once more, for 50 hits: the plots show how far down a document stands."""
    from rag_api.evaluate.html import DEEPEST, html_report

    answerable = [question for question in questions if question.answerable]
    deep = (
        measure(container, answerable, container.settings.model_copy(update={"sources": DEEPEST}), "questions, 50 hits each")
        if answerable
        else []
    )
    path.write_text(html_report(figures, figures["questions"], [o.rank for o in deep], title), encoding="utf-8")
    say(f"Report: {path}")


def read_run(path: Path) -> list[dict[str, Any]]:
    """The questions of a run that `bedside evaluate --json` printed. Raises InvalidInput."""
    from rag_api.errors import InvalidInput

    try:
        lines = path.read_text(encoding="utf-8").strip().splitlines()
        return list(json.loads(lines[-1])["questions"])
    except (OSError, ValueError, IndexError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path}: not what `bedside evaluate --json` prints ({type(error).__name__})") from error


def compared(paths: tuple[Path, Path]) -> dict[str, Any]:
    """Two runs of earlier. What cannot be compared is one sentence, as with the commands that open the container."""
    import typer

    from rag_api.errors import InvalidInput
    from rag_api.evaluate.compare import compare

    try:
        return compare(read_run(paths[0]), read_run(paths[1]))
    except InvalidInput as error:
        say(f"bedside: {error.message}")
        raise typer.Exit(1) from None


def print_comparison(found: dict[str, Any], names: tuple[str, str]) -> None:
    import sys

    from rich.console import Console
    from rich.table import Table

    table = Table("", *names, "difference", "95%", "better", "worse", "p", box=None, pad_edge=False)
    for name, d in found["figures"].items():
        low, high = d["interval"]
        between = f"[{low:+.3f}, {high:+.3f}]"
        table.add_row(
            name, f"{d['a']:.3f}", f"{d['b']:.3f}", f"{d['difference']:+.3f}", between, str(d["better"]), str(d["worse"]), f"{d['p']:.3f}"
        )
    console = Console(soft_wrap=not sys.stdout.isatty(), markup=False)
    console.print(table)
    for row in found["questions"]:
        ranks = " -> ".join("-" if rank is None else str(rank) for rank in row["rank"])
        console.print(f"{row['id']}  {ranks}  {row['question']}")


def follow_ups(container: Container, file: Path | None, split: str) -> dict[str, Any]:
    """The handbook's pairs when no file is given; its judged set is what must be left alone."""
    from rag_api.evaluate import HANDBOOK, read_judged
    from rag_api.evaluate.followups import FOLLOW_UPS, measure_pairs, read_pairs

    pairs = read_pairs(file or FOLLOW_UPS, split)  # type: ignore[arg-type]
    return measure_pairs(pairs, read_judged(HANDBOOK, split), lambda asked: measure(container, asked, what="follow-up questions"))  # type: ignore[arg-type]


def print_follow_ups(found: dict[str, Any], as_json: bool) -> None:
    import typer

    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    print_comparison(found["comparison"], ("literal", "rewritten"))
    alone = found["false_rewrites"]
    say(f"{found['rewritten_share']:.0%} of the follow-ups rewritten; of {alone['n']} questions that stand alone, {alone['rewritten']}")
