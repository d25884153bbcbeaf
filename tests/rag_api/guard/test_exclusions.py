"""Asked "without": a text that says "with" answers another question."""

from __future__ import annotations

import pytest

from rag_api.guard.exclusions import excluded, is_turned, says_without

pytestmark = pytest.mark.quick


def test_what_a_question_leaves_out_is_read() -> None:
    assert excluded("Wat kost een gastroscopie zonder een roesje?") == ("roesje",)
    assert excluded("gastroscopy without sedation, with spray") == ("sedation",)


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("Met roesje betaalt u 24 euro.", True),
        ("Met sedatie betaalt u 24 euro.", True),  # another name
        ("With sedation it costs 24 euro.", True),
        ("Zonder roesje betaalt u 12 euro.", False),
        ("Met of zonder roesje: met roesje 24 euro.", False),
        ("Het onderzoek duurt 10 minuten.", False),
    ],
)
def test_with_is_not_without(text: str, turned: bool) -> None:
    assert is_turned("prijs gastroscopie zonder roesje", text) is turned


def test_without_is_not_with() -> None:
    assert is_turned("prijs met roesje", "Zonder roesje betaalt u 12 euro.")
    assert not is_turned("prijs met roesje", "Met roesje betaalt u 24 euro.")


@pytest.mark.parametrize("text", ["zonder roesje", "Er wordt geen sedatie gegeven.", "without any sedation"])
def test_being_without_is_said_in_several_ways(text: str) -> None:
    assert says_without(text, "roesje")


def test_a_thing_that_is_given_is_not_left_out() -> None:
    assert not says_without("U krijgt een roesje. Eten mag niet.", "roesje")


def test_none_of_it_is_without_it() -> None:
    assert is_turned("kalium op zaal, geen telemetrie", "Afdeling met telemetrie, 15 mmol/uur")
    assert not is_turned("kalium op zaal, geen telemetrie", "Afdeling zonder telemetrie, 10 mmol/uur")
