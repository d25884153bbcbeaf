"""`bedside quality evaluate`: how well retrieval finds what staff ask, on questions that people
have judged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import counting, opened, say, wide_console
from rag_api.cli.options import AsJson, SetFile, Split, Stored
from rag_api.cli.quality.measuring import judged_questions, measure

if TYPE_CHECKING:
    from evaluation.quality import RetrievalOutcome
    from rag_api.container import Container
    from rag_api.evaluate.judged import Judged


def evaluate(
    judged: SetFile = None,
    stored: Stored = None,
    split: Split = "all",
    answers: Annotated[
        bool, typer.Option("--answers", help="Also answer every answerable question, and count the right answers.")
    ] = False,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole",
            help="Only: are answers whole, with nothing that misleads? On the handbook's own set, or that of --set.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure retrieval on questions that people have judged.

    Hit@k: how often the right document is among the first k. MRR: the mean of 1 over its rank.
    not_found: how often "no document answers this" was right (precision), and how many unanswerable
    questions it was said of (recall). The judged documents must be indexed: for the handbook,
    `bedside demo --once` does that.

    A set has the columns id, question, document (empty: no answer), and if known language, page,
    span, split, function and department (of who asks), conversation, found. Another row with the
    same id is another place that answers.
    """
    if whole:
        evaluate_whole(judged, as_json)
        return
    with opened() as container:
        if answers:
            container.start_generator()
        questions = judged_questions(container, judged, stored, split)
        figures = figures_of(measure(container, questions), container)
        if answers:
            figures["answers"] = answer_figures(container, [question for question in questions if question.answerable])
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False))
    else:
        print_figures(figures)


def evaluate_whole(file: Path | None, as_json: bool) -> None:
    """The columns of the set are id, question, kind, needs, misleads and after (the question before
    it)."""
    from rag_api.cli.quality.whole_answers import print_whole, whole_figures

    with opened() as container:
        container.start_generator()
        figures = whole_figures(container, file)
    if as_json:
        typer.echo(json.dumps(figures, ensure_ascii=False))
    else:
        print_whole(figures)


def figures_of(outcomes: Sequence[RetrievalOutcome], container: Container) -> dict[str, Any]:
    """All figures, those of each split when there are several, and the questions one by one. Those
    whose asker's function is known are asked once more without it: what it changes is `askers`."""
    from evaluation.quality import askers, report, rows_of

    splits = sorted({o.judged.split for o in outcomes})
    by_split = (
        {name: report([o for o in outcomes if o.judged.split == name]) for name in splits} if len(splits) > 1 else {}
    )
    about: dict[str, Any] = {"embedder": container.embedder.name, "store": container.settings.store}
    if known := [o.judged for o in outcomes if o.judged.function]:
        about["askers"] = askers(
            outcomes,
            measure(container, [replace(one, function="") for one in known], what="questions, function unsaid"),
        )
    return {**report(outcomes), "splits": by_split, **about, "questions": rows_of(outcomes)}


def answer_figures(container: Container, questions: list[Judged]) -> dict[str, Any]:
    """Asked as a user of its own, so that nobody finds the evaluation among their conversations."""
    from statistics import median

    from evaluation.quality.answers import accuracy
    from rag_api.answering.ask_sequentially import answers_to
    from rag_api.domain import AnswerStatus, User

    container.wait_for_generator()
    given = []
    with counting("answers", len(questions)) as tell:
        asker = User(id="evaluation", name="Evaluation", groups=("everyone",))
        for answer in answers_to([question.question for question in questions], asker, container):
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


def print_figures(figures: dict[str, Any]) -> None:
    """The figures of bedside quality evaluate as a table: all questions, then each language and
    split."""
    from rich.table import Table

    names = ("hit@1", "hit@3", "hit@7", "mrr")
    table = Table("", "n", *names, "not found: precision", "recall", box=None, pad_edge=False)
    rows = {"all": figures, **figures["languages"], **figures.get("crossed", {}), **figures["splits"]}
    for name, row in rows.items():
        decided = row["not_found"]
        table.add_row(
            name,
            str(row["n"]),
            *(f"{row[n]:.3f}" for n in names),
            f"{decided['precision']:.3f}",
            f"{decided['recall']:.3f}",
        )
    wide_console().print(table)
    print_askers(figures)
    print_refusals(figures)
    if "answers" in figures:
        found = figures["answers"]
        by = ", ".join(f"{name} {own['accuracy']:.3f} of {own['n']}" for name, own in found["languages"].items())
        say(f"right answers: {found['accuracy']:.3f} of {found['n']} ({by}), median {found['median_seconds']:.2f} s")


def print_askers(figures: dict[str, Any]) -> None:
    """First hits for other patients than the question's, and what the asker's function does to
    them."""
    found = figures.get("askers")
    if found is None:
        say(f"first hits for other patients: {figures['wrong_group_first']}")
        return
    for name, row in (("with the asker's function", found["with"]), ("without it", found["without"])):
        say(
            f"first hits for other patients, {name}: {row['wrong_group_first']} (Hit@1 {row['hit@1']:.3f}, MRR "
            f"{row['mrr']:.3f})"
        )


def print_refusals(figures: dict[str, Any]) -> None:
    """How "not found" was decided, and what other thresholds would do."""
    decided, between = figures["not_found"], figures["intervals"]
    if not decided["n"]:
        return
    low, high = between["not_found_precision"]
    say(
        f"not found, {decided['n']} questions without an answer: precision {decided['precision']:.2f} [{low:.2f}, "
        f"{high:.2f}]"
    )
    low, high = between["not_found_recall"]
    say(f"  recall {decided['recall']:.2f} [{low:.2f}, {high:.2f}], {decided['refused']:.1%} of the others refused")
    for name, label in (("near_misses", "near misses"), ("off_topic", "off topic")):
        if decided[name]["n"]:
            say(f"  {label} refused: {_share(decided[name])}")
    for row in decided["at_refused"]:
        say(
            f"  refusing {row['refused']:.0%} of the answerable (BEDSIDE_NOT_FOUND_THRESHOLD={row['threshold']}): near "
            f"misses refused "
            f"{_share(row['near_misses'])}, off topic {_share(row['off_topic'])}, answers wrong {_share(row['risk'])}"
        )
    say(
        "  risk by coverage (share answered: share of answers that are wrong or should have been refused, answerable "
        "refused):"
    )
    for point in decided["curve"]:
        low, high = point["interval"]
        say(f"    {point['coverage']:.2f}: {point['risk']:.3f} [{low:.2f}, {high:.2f}], {point['refused']:.1%}")


def _share(found: dict[str, Any]) -> str:
    if found["share"] is None:
        return "none asked"
    low, high = found["interval"]
    return f"{found['share']:.2f} [{low:.2f}, {high:.2f}] of {found['n']}"
