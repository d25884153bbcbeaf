"""Collections that the decision is measured on: which questions a collection can answer, and that
what ships is measured on what it never saw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluation.calibration.cases import DecisionCase, QuestionKind, Sentence
from evaluation.decision import collections, measure
from rag_api.cli.app import app
from rag_api.domain import Candidate
from rag_api.errors import InvalidInput
from rag_api.retrieval.decision.calibration import SIGNALS, shipped

pytestmark = pytest.mark.quick

EMBEDDER = "multilingual-e5-small-int8+neutral"


@pytest.fixture
def medquad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> collections.Collection:
    """Forty subjects of two questions, the first answered twice; and a page without a title."""
    rows = [
        {
            "id": f"{n}#{place}",
            "title": f"Subject {n:02} x",
            "question": f"{asked} {n}?",
            "answer": f"{asked} {n}, answer {place}.",
        }
        for n in range(40)
        for place, asked in enumerate(("what", "why", "what"))
    ]
    (tmp_path / "medquad").mkdir()
    lines = [*rows, {"id": "x#1", "title": "", "question": "what is?", "answer": "Nothing."}]
    (tmp_path / "medquad" / "medquad.jsonl").write_text("\n".join(map(json.dumps, lines)))
    monkeypatch.setattr(collections, "SHARED", tmp_path)
    monkeypatch.setattr(collections, "MEDQUAD", 25)
    return collections.medquad()


def test_half_of_medquads_subjects_are_there_and_near_misses_are_of_the_others(medquad: collections.Collection) -> None:
    there = {text.source for text in medquad.texts}
    asked = {kind: [q for q in medquad.questions if q.kind == kind] for kind in QuestionKind}
    assert len(there) == 20
    assert [len(asked[kind]) for kind in (QuestionKind.ANSWERABLE, QuestionKind.NEAR_MISS)] == [25, 25]
    assert {q.unit for q in asked[QuestionKind.ANSWERABLE]} <= there
    assert not {q.unit for q in asked[QuestionKind.NEAR_MISS]} & there
    # the same each time
    assert [q.text for q in medquad.questions] == [q.text for q in collections.medquad().questions]


def test_what_answers_medquads_question_is_right_and_what_stands_beside_it_is_not(
    medquad: collections.Collection,
) -> None:
    texts = {text.source: text.text for text in medquad.texts}
    for question in medquad.questions:
        if question.kind != QuestionKind.ANSWERABLE:
            continue
        text, (asked, number) = texts[question.unit], question.text.rstrip("?").split()
        for place in range(3):
            answer = f"{('what', 'why')[place % 2]} {number}, answer {place}."
            at = text.index(answer)
            found = Candidate("d", at, at + len(answer), (), answer, 0.0, 1)
            assert question.right(question.unit, found) is answer.startswith(asked)
            assert not question.right("Subject of another", found)


def test_a_near_miss_is_of_no_subject_whose_title_lies_in_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": f"{n}", "title": "Stroke" + " Care" * n, "question": f"q{n}", "answer": "a"} for n in range(8)]
    (tmp_path / "medquad").mkdir()
    (tmp_path / "medquad" / "medquad.jsonl").write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr(collections, "SHARED", tmp_path)
    found = collections.medquad()
    assert len(found.texts) == 4
    assert {q.kind for q in found.questions} == {QuestionKind.ANSWERABLE}


def kept(collection: str, split: str, cosine: float) -> measure.Case:
    signals = {**dict.fromkeys(SIGNALS, 0.0), "cosine": cosine}
    sentences = (Sentence(0, 0, 4, (cosine, 0.0, 0.0, 0.0), True),)
    return measure.Case(
        DecisionCase(
            collection,
            split,  # type: ignore[arg-type]
            QuestionKind.ANSWERABLE,
            "vraag",
            "nl",
            str(cosine),
            True,
            signals,
            ("k",),
            sentences,
        )
    )


def test_what_ships_is_measured_on_all_of_what_it_was_not_fitted_to_and_on_the_test_part_of_the_rest() -> None:
    cases = [
        kept(name, split, cosine) for name in ("medquad", "squad") for split in ("fit", "test") for cosine in (0.0, 1.0)
    ]
    fitted, rows = measure.as_shipped(cases, EMBEDDER)
    assert fitted == shipped()[EMBEDDER].not_found
    found = measure.figures(rows, fitted)
    assert {name: own["risks"]["careful"]["refused"]["n"] for name, own in found.items()} == {"squad": 2, "medquad": 4}
    assert found["medquad"]["risks"]["careful"]["refused"]["share"] == 0.5
    with pytest.raises(InvalidInput, match="No decision ships for unheard-of"):
        measure.as_shipped(cases, "unheard-of")


def test_what_was_not_fitted_is_not_written() -> None:
    told = CliRunner().invoke(app, ["bench", "decision", "--shipped", "--write"])
    assert told.exit_code == 2
    assert "nothing is fitted" in told.output
