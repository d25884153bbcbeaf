"""A drug's dose for one disease is none for another, nor the one that prevents for the one that
treats."""

from __future__ import annotations

import pytest

from rag_api.guard.indication import is_for_another_illness, is_of_the_other_intent

pytestmark = pytest.mark.quick

PPH = "Fluxus postpartum. Misoprostol 800 microgram sublinguaal bij bloedverlies na de bevalling."
STROKE = "Trombolyse bij een herseninfarct: tenecteplase naar gewicht."


@pytest.mark.parametrize(
    ("question", "text", "another"),
    [
        ("how much misoprostol after a miscarriage", PPH, True),
        ("misoprostol bij fluxus", PPH, False),
        ("hoeveel misoprostol geven", PPH, False),
        ("tenecteplase dose for a pulmonary embolism", STROKE, True),
        ("tenecteplase for a stroke of 80 kg", STROKE, False),
        ("tenecteplase bij een beroerte en gekende astma", STROKE, False),
        ("tenecteplase bij longembolie", STROKE + " Niet bij een longemboly.", False),
    ],
)
def test_a_document_that_names_none_of_the_questions_diseases_is_about_another(
    question: str, text: str, another: bool
) -> None:
    assert is_for_another_illness(question, text) is another


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("behandeldosis clexane bij trombose", "Profylactische dosis\nenoxaparine 40 mg 1x/dag", True),
        (
            "behandeldosis clexane bij trombose",
            "24 uur na een therapeutische en 12 uur na een profylactische dosis",
            False,
        ),
        ("clexane ter preventie", "Therapeutische dosis: 1 mg/kg om de 12 uur", True),
        ("clexane dosis bij 80 kg", "Profylactische dosis\nenoxaparine 40 mg 1x/dag", False),
        ("mag spinale na therapeutische of profylactische dosis", "12 uur na een profylactische dosis", False),
    ],
)
def test_what_prevents_is_no_answer_to_what_treats(question: str, text: str, other: bool) -> None:
    assert is_of_the_other_intent(question, text) is other
