"""Dutch or English, for questions as staff type them."""

from __future__ import annotations

import pytest

from rag_api.evaluate.judged import HANDBOOK, read_judged
from rag_api.text.language import detect, language_said

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Hoeveel paracetamol mag een kind van 12 kg?", "nl"),
        ("dosis paracetamol iv kind", "nl"),
        ("wie bel ik bij een massieve bloeding", "nl"),
        ("How much paracetamol for a child of 12 kg?", "en"),
        ("who do I call for massive bleeding", "en"),
        ("potassium iv max rate", "en"),
        ("NaCl 0,9%", "nl"),
        ("", "nl"),
        ("???", "nl"),
    ],
)
def test_a_question_is_in_its_language(text: str, language: str) -> None:
    assert detect(text) == language


def test_the_judged_questions_are_told_apart() -> None:
    questions = [question for question in read_judged(HANDBOOK) if question.language]
    wrong = [q.question for q in questions if language_said(q.question) not in (None, q.language)]
    undecided = [q.question for q in questions if language_said(q.question) is None]
    assert len(questions) > 200
    assert len(wrong) / len(questions) < 0.01, wrong
    assert len(undecided) / len(questions) < 0.05, undecided
