"""`bedside bench decision`: fit and measure the decision on all collections together, from what was
asked of them once."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.benchmarks.bench import bench
from rag_api.cli.console import counting, opened, read_settings, say
from rag_api.cli.options import AsJson

if TYPE_CHECKING:
    from evaluation.decision.measure import Case
    from rag_api.container import Container

HERE = Path(__file__).resolve().parents[2]


@bench.command()
def decision(
    kept: Annotated[
        Path | None, typer.Option(help="Folder of what was asked once; ~/.cache/bedside/decision when absent.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask all collections anew: over half an hour.")] = False,
    collection: Annotated[list[str] | None, typer.Option(help="Only these; several may be named.")] = None,
    as_it_ships: Annotated[
        bool,
        typer.Option(
            "--shipped",
            help="Fit nothing: the decision as it ships, on the whole of what it was not fitted to; no reader.",
        ),
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Into the project: the values that ship, and the rows behind them.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Where to draw risk by coverage, for each collection.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """When to say that there is no answer: fitted on several collections that weigh alike, measured
    on their test parts; or as it ships.

    WardQA, the sample handbook, and where they lie beside the checkout SQuAD v2.0, MedQuAD and six
    work instructions. What was found is kept, so that a second run takes seconds, and with
    BEDSIDE_READER the time that the reader needs for the passages.
    """
    from evaluation.decision import measure
    from evaluation.decision.collections import COLLECTIONS
    from rag_api.retrieval.decision.calibration import shipped
    from rag_api.retrieval.reader_model.pointing_reader import judging_reader

    if as_it_ships and write:
        raise typer.BadParameter("nothing is fitted that could be written", param_hint="--shipped")
    settings = read_settings().model_copy(update={"reader": None}) if as_it_ships else read_settings()
    with counting("questions", 0) as tell:
        extracts = measure.kept_cases(
            settings, kept or measure.CACHE, collection or list(COLLECTIONS), fresh=fresh, tell=tell
        )
    made_by = {one.made_by for one in extracts}
    if len(made_by) != 1:
        raise typer.BadParameter(
            f"what is kept was made by {', '.join(sorted(made_by)) or 'nobody'}: run with --fresh", param_hint="--kept"
        )
    embedder = next(iter(made_by))
    before = shipped()[embedder]
    with opened(settings) as container:
        cases = _read(container, extracts)
        judging = judging_reader(container.reader)
        name = judging.name if judging is not None else None
    fitted, rows = measure.as_shipped(cases, embedder) if as_it_ships else measure.fit_without(cases, before.weights)
    found: dict[str, Any] = {
        "embedder": embedder,
        "not_found": asdict(fitted),
        "collections": measure.figures(rows, fitted),
    }
    read, read_rows = None, list[Any]()
    if name is not None:
        with_reader, read_rows = measure.fit_with(cases, before.weights)
        read = (name, with_reader)
        found["reader"] = {
            "name": name,
            **asdict(with_reader),
            "collections": measure.figures(read_rows, with_reader.not_found),
        }
    if svg is not None:
        from evaluation.quality.plots import risk_svg

        svg.write_text(
            risk_svg("decision", {name: own["curve"] for name, own in found["collections"].items()}), encoding="utf-8"
        )
    if write:
        measured = f"{date.today().isoformat()}, {len(rows)} questions of {', '.join(found['collections'])}"
        _write(measure.with_decision(before, fitted, read, measured), rows, read_rows, embedder, name or "")
    typer.echo(json.dumps(found)) if as_json else _print(found)


def _read(container: Container, extracts: Any) -> list[Case]:
    from evaluation.decision.measure import Case, read_by
    from rag_api.retrieval.reader_model.pointing_reader import judging_reader

    cases = [Case(case) for extracted in extracts for case in extracted.cases]
    if (reader := judging_reader(container.reader)) is None:
        return cases
    with counting("questions read", len(cases)) as tell:
        return read_by(reader, extracts, tell)


def _write(value: Any, rows: Any, read_rows: Any, embedder: str, reader: str) -> None:
    from evaluation.calibration.rows import SHIPPED, key_of, write_rows
    from rag_api.retrieval.decision.calibration import READ, SIGNALS, write

    write(HERE / "retrieval" / "decision" / "calibrations.json", embedder, value)
    fit = {
        key_of(embedder, name): [row for row in own if row.split == "fit"]
        for name, own in (("", rows), (reader, read_rows))
        if own
    }
    write_rows(fit, (*SIGNALS, "crossed", *READ), SHIPPED)
    say(f"{sum(map(len, fit.values()))} rows and the values of {embedder} are written")


def _print(found: dict[str, Any]) -> None:
    _table("without a reader", found["collections"])
    if "reader" in found:
        _table(f"with {found['reader']['name']}", found["reader"]["collections"])


def _table(title: str, collections: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    names = ("refused", "answered_right", "near_misses", "off_topic", "risk")
    table = Table("", "", *names, "other language, more refused", title=title, box=None, pad_edge=False)
    for name, own in collections.items():
        for risk, row in own["risks"].items():
            more = row["other_language_more"]
            table.add_row(name, risk, *(_share(row[n]) for n in names), f"{more['difference']} {more['interval']}")
        for row in own["at_refused"]:
            table.add_row(name, f"at {row['refused']:.0%}", "", *(_share(row[n]) for n in names[1:]), "")
    Console(stderr=True, width=170).print(table)


def _share(found: dict[str, Any]) -> str:
    if found["share"] is None:
        return "-"
    low, high = found["interval"]
    return f"{found['share']:.3f} [{low:.2f}, {high:.2f}] {found['n']}"
