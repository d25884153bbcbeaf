"""`bedside quality calibrate`: asks judged questions, fits, and keeps the values where answering
finds them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_api.cli.console import counting, opened, say
from rag_api.cli.options import AsJson, SetFile, Stored
from rag_api.cli.quality.measuring import asker, indexed, judged_questions, refuse_test_half, search

if TYPE_CHECKING:
    from evaluation.calibration.calibrate import CalibrationCase
    from rag_api.container import Container
    from rag_api.evaluate.judged import Judged
    from rag_api.retrieval.decision.calibration import VerbatimWeights, WithReader
    from rag_api.retrieval.reader_model.pointing_reader import PointingReader


def calibrate(
    judged: SetFile = None,
    stored: Stored = None,
    model: Annotated[
        bool, typer.Option("--model", help="Also measure what the language model's likelihoods add; minutes.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write here instead of into the data directory.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fit to reviewed questions which sentences are quoted, how many, and when to say that there is
    no answer.

    Only the validate half of the set is used; the test half is for `bedside quality evaluate`.
    Every answerable question is asked again without its documents, so a set with few unanswerable
    ones will do. When to say that there is no answer is fitted to the collections that came with
    Bedside as well, each weighing as much as yours; what each BEDSIDE_RISK costs on all of them is
    printed. The values are kept in calibration.json in the data directory, for the embedder in use,
    and win over the shipped ones.

    With a reader that points to the answer (BEDSIDE_READER=adapter:NAME) only its threshold is
    fitted, with a guarantee: "at most this share of what is answered is wrong, with 95% certainty,
    on your questions". More questions prove smaller shares.

    With a reader that must agree (BEDSIDE_READER=agreeing:NAME) how sure both must be together is
    fitted as well. That reads every question's passages: seconds each.
    """
    from rag_api.retrieval.reader_model.pointing_reader import PointingReader

    with opened() as container:
        if isinstance(container.reader, PointingReader):
            container.start_generator()
            container.wait_for_generator()
            show_guarantees(with_guarantee(container, container.reader, judged, stored, out=out), as_json)
            return
        if model or container.agreeing is not None:
            container.start_generator()
        show(fitted(container, judged, stored, model=model, out=out), as_json)


def fitted(
    container: Container, file: Path | None, stored: str | None, *, model: bool, out: Path | None
) -> dict[str, Any]:
    """On the validate half of the set, whatever else it holds. Raises InvalidInput for a set
    without one and for one that tells nothing."""
    from evaluation.calibration import calibrate as fits
    from evaluation.calibration.decision import fit_decision
    from evaluation.calibration.rows import shipped_rows
    from rag_api.retrieval.decision.calibration import FILE, calibration, write
    from rag_api.retrieval.reader_model.pointing_reader import judging_reader

    questions = judged_questions(container, file, stored, "validate")
    refuse_test_half(questions, container, file, stored, "A calibration")
    cases = gather(container, questions)
    others = shipped_rows(container.embedder.name)
    before = calibration(container.embedder.name, container.settings.data_dir)
    weights = fits.fit_weights(cases)
    judging = judging_reader(container.reader)
    reader = judging.name if judging is not None else ""
    if reader:
        known = {**shipped_readers(container.embedder.name), **before.readers}.get(reader)
        span_weight = known.span_weight if known else fits.span_weight_of(cases, weights)
        read_others = shipped_rows(container.embedder.name, reader)
        found = fits.cross_validated(cases, read_others, span_weight=span_weight)
        decided = fits.fit_reader(cases, read_others, weights, span_weight)
        before = replace(before, readers={**before.readers, reader: decided})
    else:
        found = fits.cross_validated(cases, others)
    cases = [fits.weighed(case, weights) for case in cases]
    if model:
        cases = with_likelihoods(container, cases)
    writing = {
        name: fits.fit_writing([case for case in cases if case.judged.language == name]) for name in languages(cases)
    }
    name = container.settings.generator_model
    value = replace(
        before,
        # with which all of it was fitted
        alpha=before.alpha if container.settings.alpha is None else container.settings.alpha,
        weights=weights,
        verbatim={**before.verbatim, name: {**before.verbatim.get(name, {}), **writing}},
        not_found=fit_decision([*fits.rows_of(cases, "own"), *others]),
        measured=f"{date.today().isoformat()}, {len(questions)} questions of "
        f"{stored or (file.name if file else 'the sample handbook')}",
    )
    path = out or container.settings.data_dir / FILE
    write(path, container.embedder.name, value)
    agreeing = None
    if container.agreeing is not None and out is None:  # it follows from the values that now hold
        agreeing = _with_agreement(container, container.agreeing, questions)
        value = replace(value, agreeing={**value.agreeing, container.agreeing.name: agreeing})
        write(path, container.embedder.name, value)
    return {
        "embedder": container.embedder.name,
        "model": name,
        "file": str(path),
        "questions": len(questions),
        "collections": ["own", *sorted({row.collection for row in others})],
        "cross_validated": found,
        "values": asdict(value),
        "decision": asdict(value)["readers"][reader]["not_found"] if reader else asdict(value)["not_found"],
        "likelihood": _gains(cases, writing) if model else None,
        "agreeing": asdict(agreeing) if agreeing is not None else None,
    }


def _with_agreement(container: Container, reader: PointingReader, questions: Sequence[Judged]) -> WithReader:
    from evaluation.calibration.agreement import fit_agreement

    container.wait_for_generator()
    ids = {document.source: document.id for document in indexed(container)}
    with counting("questions read again", len(questions)) as tell:
        return fit_agreement(container, reader, questions, ids, asker, tell)


def with_guarantee(
    container: Container, reader: PointingReader, file: Path | None, stored: str | None, *, out: Path | None
) -> dict[str, Any]:
    """The least confidence of a reader that points, by what it makes of the validate half of the
    set. Raises InvalidInput for a set without one, GeneratorUnavailable where the reader does not
    answer."""
    from evaluation.quality.answers import holds
    from rag_api.errors import GeneratorUnavailable
    from rag_api.retrieval.decision.calibration import FILE, RISKS, calibration, write
    from rag_api.retrieval.decision.risk_guarantee import Verdict, guaranteed

    questions = judged_questions(container, file, stored, "validate")
    refuse_test_half(questions, container, file, stored, "A calibration")
    verdicts = []
    with counting("questions", len(questions)) as tell:
        for done, judged in enumerate(questions, 1):
            found = search(judged, container)
            if found.may_be_quoted and not found.pointed:
                raise GeneratorUnavailable(
                    f"The reader {reader.name} did not answer: nothing was calibrated. Look at the generator's log."
                )
            first = found.sentences[0].text if found.may_answer and found.sentences else ""
            right = bool(first) and any(holds(first, place.span) for place in judged.places)
            verdicts.append(Verdict(found.confidence if first else -1.0, right, judged.answerable))
            tell(done)
    measured = guaranteed(verdicts, RISKS)
    before = calibration(container.embedder.name, container.settings.data_dir)
    path = out or container.settings.data_dir / FILE
    write(path, container.embedder.name, replace(before, pointing={**before.pointing, reader.name: measured}))
    return {"reader": reader.name, "embedder": container.embedder.name, "file": str(path), **asdict(measured)}


def languages(cases: Sequence[CalibrationCase]) -> list[str]:
    return sorted({case.judged.language for case in cases if case.judged.language in ("nl", "en")})


def gather(container: Container, questions: Sequence[Judged]) -> list[CalibrationCase]:
    """Every question once, and the answerable ones again without their documents."""
    ids = {document.source: document.id for document in indexed(container)}
    cases = []
    with counting("questions", len(questions)) as tell:
        for done, judged in enumerate(questions, 1):
            cases.append(_case(container, judged, ()))
            own = tuple(ids[place.document] for place in judged.places if place.document in ids)
            if own:
                cases.append(_case(container, judged, own))
            tell(done)
    return cases


def shipped_readers(embedder: str) -> Mapping[str, WithReader]:
    from rag_api.retrieval.decision.calibration import Calibration, shipped

    return shipped().get(embedder, Calibration()).readers


def _case(container: Container, judged: Judged, left_out: tuple[str, ...]) -> CalibrationCase:
    """A reader that nobody measured yet reads all the same."""
    from evaluation.calibration.calibrate import CalibrationCase
    from rag_api.query.analysis import analyse
    from rag_api.retrieval.reader_model.pointing_reader import judging_reader
    from rag_api.retrieval.reader_model.reader_scores import read

    retrieval = search(judged, container, left_out)
    scores = retrieval.read
    if scores is None and (reader := judging_reader(container.reader)) is not None:
        asked = analyse(judged.question, container.expander).text
        scores = read(asked, retrieval.may_be_quoted, retrieval.sentences, reader)
    return CalibrationCase(
        judged, bool(left_out), retrieval.may_answer, retrieval.signals, retrieval.scored, read=scores
    )


def with_likelihoods(container: Container, cases: Sequence[CalibrationCase]) -> list[CalibrationCase]:
    """The model's log p(question | sentence) of each question's likeliest sentences, over the
    protocol that answers use."""
    import asyncio

    container.wait_for_generator()
    answered = [case for case in cases if case.has_answer]
    scored: dict[str, CalibrationCase] = {}

    async def ask_all() -> None:
        with counting("likelihoods", len(answered)) as tell:
            for case in answered:
                scored[case.judged.id] = await _with_likelihood(container, case)
                tell(len(scored))
        await container.generator.close()

    asyncio.run(ask_all())
    return [scored.get(case.judged.id, case) if case.has_answer else case for case in cases]


async def _with_likelihood(container: Container, case: CalibrationCase) -> CalibrationCase:
    from rag_api.answering.generator import client as gen
    from rag_api.answering.generator.prompt_passages import CANDIDATES
    from services.contract import wire

    chosen = [s.candidate for s in case.sentences[:CANDIDATES]]
    titles = {s.candidate.document_id: s.title for s in case.sentences}
    # Each sentence is a document of its own here: only its words and its title count.
    request = gen.GeneratorRequest(
        case.judged.question,
        "en" if case.judged.language == "en" else "nl",
        gen.passages_of([(titles[c.document_id], c.text) for c in chosen]),
        "verbatim",
        tuple(wire.CandidateIn(document=str(n), start=0, end=len(c.text), score=0.0) for n, c in enumerate(chosen)),
        max_tokens=1,
        options={"likelihood_weight": 1.0, "max_sentences": 1},
    )
    said: dict[tuple[str, int, int], float] = {}
    async for event in container.generator.stream(request):
        if isinstance(event, gen.Finished):
            for weighed in event.weighed:
                c = chosen[int(weighed.document)]
                if weighed.log_likelihood is not None:
                    said[c.document_id, c.start, c.end] = weighed.log_likelihood
    return replace(case, likelihoods=said)


def _gains(cases: Sequence[CalibrationCase], chosen: dict[str, VerbatimWeights]) -> dict[str, Any]:
    """Accuracy of one and of two sentences by the weight of the likelihood, for each language."""
    from evaluation.calibration.calibrate import LIKELIHOODS, accuracy
    from rag_api.retrieval.decision.calibration import VerbatimWeights

    found = {}
    for language in chosen:
        own = [case for case in cases if case.has_answer and case.judged.language == language]
        found[language] = {
            str(weight): [round(accuracy(own, VerbatimWeights(weight, sentences=count)), 4) for count in (1, 2)]
            for weight in LIKELIHOODS
        }
    return found


def show(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    crossed = found["cross_validated"]
    say(f"{found['questions']} questions, {found['embedder']}; on questions that were not fitted on:")
    say(f"  a right sentence first {crossed['first_sentence']:.3f}, among two {crossed['two_sentences']:.3f}")
    say(
        f"  not found: precision {crossed['not_found_precision']:.2f}, recall {crossed['not_found_recall']:.2f}, "
        f"{crossed['refused']:.1%} of the answerable refused; {crossed['recall_left_out']:.2f} of those whose document "
        f"was left out"
    )
    say(f"When to refuse, fitted on {', '.join(found['collections'])}:")
    _show_risks(found["decision"])
    if found["agreeing"]:
        say("When to refuse where the reader must agree, fitted on your own questions:")
        _show_risks(found["agreeing"])
    say(f"Written to {found['file']}; used from the next question on.")


def _show_risks(fitted: Mapping[str, Any]) -> None:
    for name, threshold in fitted["by_risk"].items():
        point = next((p for p in fitted["curve"] if p["threshold"] >= threshold), fitted["curve"][-1])
        say(
            f"  BEDSIDE_RISK={name}: {point['refused']:.0%} of what can be answered is refused, {point['risk']:.0%} of "
            f"answers are wrong"
        )


def show_guarantees(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    say(f"{found['questions']} questions, {found['unanswerable']} of them without an answer; {found['reader']}:")
    for one in found["guarantees"]:
        say(
            f"  BEDSIDE_RISK={one['risk']}: at most {one['risk']:.1%} of what is answered is wrong, with 95% certainty "
            f"({one['wrong']} of {one['answered']} here; {one['refused']} that a document answers are refused)"
        )
    if not found["guarantees"]:
        say(
            "  No share of wrong answers is proven: judge more questions, or the reader is not good enough for your "
            "documents."
        )
    for name, threshold in found["by_risk"].items():
        say(f"  BEDSIDE_RISK={name}: answered from a confidence of {threshold:.2f} on; no share is proven for it")
    say(f"Written to {found['file']}; used from the next question on.")
