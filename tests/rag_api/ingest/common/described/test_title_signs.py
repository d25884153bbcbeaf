"""Signs of a title are added up: none decides alone, nor does the order in which lines stand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_api.ingest.common.described.title_signs import NamingLine, best_first
from rag_api.ingest.common.described.words import naming_words

pytestmark = pytest.mark.quick

WORDS = ("Zorg", "Katheter", "Hoofdpijn", "Volwassenen", "Wonden", "Nierfunctie", "Ontslag", "Overdracht")
texts = st.lists(st.sampled_from(WORDS), min_size=2, max_size=5, unique=True).map(" ".join)
lines = st.builds(NamingLine, texts, st.floats(0.8, 3.0), st.booleans(), st.floats(0.0, 1.0))


def _best(candidates: list[NamingLine], name: str = "kp.pdf") -> str:
    shown = naming_words(" ".join(one.text for one in candidates))
    return next(iter(best_first(candidates, name, shown)), "")


@given(st.lists(lines, min_size=1, max_size=6, unique_by=lambda one: one.text), st.randoms())
def test_the_order_of_lines_says_nothing(found: list[NamingLine], chance: Random) -> None:
    other = list(found)
    chance.shuffle(other)
    assert set(best_first(found, "kp.pdf", set())) == set(best_first(other, "kp.pdf", set()))


@given(st.lists(lines, min_size=1, max_size=6, unique_by=lambda one: one.text), st.floats(1.1, 2.0))
def test_a_title_set_larger_higher_or_bolder_stays_the_title(found: list[NamingLine], more: float) -> None:
    if best := _best(found):
        one = next(one for one in found if one.text == best)
        for grown in (replace(one, larger=one.larger * more), replace(one, at=one.at / more), replace(one, bold=True)):
            assert _best([grown if other is one else other for other in found]) == best


@given(texts, st.floats(1.2, 3.0), st.floats(0.15, 0.5))
def test_no_sentence_date_letterhead_or_half_line_goes_before_a_heading_of_its_size(
    title: str, larger: float, at: float
) -> None:
    beside = [
        NamingLine("Dit document is voor iedereen.", larger, at=at),
        NamingLine("Herzien in 2024", larger, at=at, imprint=True),
        NamingLine("Ziekenhuis Zonneweide", larger, at=0.02),
        NamingLine("Namens de commissie van", larger, at=at),
        NamingLine("1234", larger, at=at),
        NamingLine("de verpleegkundige noteert elk uur de temperatuur en de pols in het dossier"),
    ]
    assert _best([*beside, NamingLine(title, larger, at=at)]) == title


def test_a_line_that_the_file_s_name_says_goes_before_a_larger_one() -> None:
    found = [NamingLine("Raad van Verpleegkunde", 2.0), NamingLine("Zorg voor de katheter", 1.5, at=0.5)]
    assert _best(found, "rvv-katheter-2024.pdf") == "Zorg voor de katheter"
    assert _best(found) == "Raad van Verpleegkunde"


def test_of_running_text_nothing_is_a_title_though_the_file_s_name_shares_a_word() -> None:
    assert _best([NamingLine("Spoel de katheter om de acht uur met water en noteer het in het dossier", at=0.3)]) == ""


def test_a_heading_of_words_that_every_text_has_names_a_file_whose_name_says_no_more() -> None:
    heading = NamingLine("Over de", 2.0)
    assert best_first([heading], "b.txt", frozenset()) == ("Over de",)
    assert best_first([heading], "huisregels.txt", frozenset()) == ()
