"""Quantities as a Dutch and an English reader read them, and which of an answer's stand in no
passage."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_api.guard.numbers.quantities import number_of, quantities
from rag_api.guard.numbers.support import SupportPassage, unsupported
from rag_api.guard.people.patient import patient_of

pytestmark = pytest.mark.quick

KILOGRAM = "1000000 mass"
PASSAGE = SupportPassage(
    "Een kind van 12 kg krijgt 15 mg/kg, dit is 180 mg per gift of 18 ml van de oplossing van 10 mg/ml. Maximum per "
    "24 uur 60 mg/kg, "
    "nooit meer dan 2 g. Infuus: 1.000 ml NaCl over 60 minuten, daarna 0,5 µg/kg/min. "
    "Tussen 10 en 33 kg om de 6 uur. Drie keer per dag 1,5 tablet.\n"
    "Gewicht (kg) Volume (ml)\n33 42\n",
    "nl",
)


@pytest.mark.parametrize(
    ("written", "dutch", "english"),
    [
        ("5", "5", "5"),
        ("1,5", "3/2", "3/2"),
        ("0.5", "1/2", "1/2"),
        ("1.000", "1000", "1"),
        ("1,000", "1", "1000"),
        ("0.125", "1/8", "1/8"),
        ("0,125", "1/8", "1/8"),
        ("12.500", "12500", "25/2"),
        ("1.234,5", "2469/2", "2469/2"),
        ("1,234.5", "2469/2", "2469/2"),
        ("1.000.000", "1000000", "1000000"),
        ("1\u00a0000", "1000", "1000"),
        ("10 000", "10000", "10000"),
        ("½", "1/2", "1/2"),
        ("1½", "3/2", "3/2"),
        ("01.02.2025", None, None),
    ],
)
def test_a_number_is_read_in_its_language(written: str, dutch: str | None, english: str | None) -> None:
    assert number_of(written, "nl") == (None if dutch is None else Fraction(dutch))
    assert number_of(written, "en") == (None if english is None else Fraction(english))


@pytest.mark.parametrize(
    ("text", "value", "dimension", "per", "period"),
    [
        ("500 mg", "500", "mass", (), None),
        ("0,5 g", "500", "mass", (), None),
        ("500 microgram", "1/2", "mass", (), None),
        ("15 mg/kg", "15", "mass", (KILOGRAM,), None),
        ("15 mg per kg per gift", "15", "mass", (KILOGRAM,), None),
        ("60 mg/kg/dag", "60", "mass", (KILOGRAM,), "1440"),
        ("4 g per 24 uur", "4000", "mass", (), "1440"),
        ("1 g daily", "1000", "mass", (), "1440"),
        ("0,1 µg/kg/min", "1/10000", "mass", (KILOGRAM,), "1"),
        ("30 ml/min/1,73 m²", "30", "volume", ("173/100 area",), "1"),
        ("10 mg/ml", "10", "mass", ("1 volume",), None),
        ("2 l", "2000", "volume", (), None),
        ("10 E", "10", "activity", (), None),
        ("5 000 IE", "5000", "activity", (), None),
        ("90 minuten", "90", "time", (), None),
        ("2 weeks", "20160", "time", (), None),
        ("driemaal per dag", "3", "times", (), "1440"),
        ("drie dagen", "4320", "time", (), None),
        ("2 %", "2", "share", (), None),
    ],
)
def test_a_quantity_has_its_value_unit_and_what_it_is_taken_per(
    text: str, value: str, dimension: str, per: tuple[str, ...], period: str | None
) -> None:
    (found,) = [q for q in quantities(text, "nl") if q.start == 0]
    assert (found.value, found.dimension, found.per) == (Fraction(value), dimension, per)
    assert found.period == (None if period is None else Fraction(period))
    assert text[found.start : found.end].startswith(found.written)


@pytest.mark.parametrize(
    "text", ["vitamine B12", "CO2 en SpO2", "de drie artsen", "1. Bel de arts\n2. Wacht", "zie [3]"]
)
def test_codes_list_numbers_and_counted_people_are_no_quantities(text: str) -> None:
    assert quantities(text, "nl") == []


def test_both_ends_of_a_range_have_its_unit() -> None:
    assert [(q.value, q.dimension, q.per) for q in quantities("10 tot 15 mg/kg", "nl")] == [
        (Fraction(10), "mass", (KILOGRAM,)),
        (Fraction(15), "mass", (KILOGRAM,)),
    ]
    assert [q.value for q in quantities("0,5-1 g", "nl")] == [500, 1000]


@pytest.mark.parametrize(
    "answer",
    [
        "Geef 180 mg per gift.",
        "Geef 0,18 g per gift.",
        "Geef 0.18 g.",
        "Geef 180.000 µg.",
        "De dosis is 15 mg/kg.",
        "15 mg per kilogram",
        "maximaal 60 mg/kg per dag",
        "maximaal 60 mg/kg/24 u",
        "1000 ml over 1 uur",
        "1 liter in 60 min",
        "0,5 microgram/kg/min",
        "tussen 10 en 33 kg",
        "10-33 kg",
        "elke 6 uur",
        "3x/dag 1½ tablet",
        "driemaal daags",
        "42 ml",
        "1. Geef 180 mg.\n2. Herhaal om de 6 uur.",
    ],
)
def test_a_quantity_that_a_passage_holds_is_found_however_it_is_written(answer: str) -> None:
    assert unsupported(answer, [PASSAGE], "nl") == ()


@pytest.mark.parametrize(
    ("answer", "marked"),
    [
        ("Geef 999 mg.", ["999 mg"]),
        ("Geef 180 ml.", ["180 ml"]),
        ("Geef 15 mg.", ["15 mg"]),
        ("Geef 15 mg/ml.", ["15 mg/ml"]),
        ("Geef 180 g en 18 ml.", ["180 g"]),
        ("Geef 1,8 mg.", ["1,8 mg"]),
        ("12 tot 20 mg/kg", ["12", "20 mg/kg"]),
        ("60 mg/kg per uur", ["60 mg/kg per uur"]),
        ("0,5 µg/kg/uur", ["0,5 µg/kg/uur"]),
        ("om de 8 uur", ["8 uur"]),
        ("viermaal daags", ["viermaal daags"]),
        ("42 mg", ["42 mg"]),
        ("Bel 2222.", ["2222"]),
        ("Geef 1,000 ml.", ["1,000 ml"]),
        ("gedurende zeven dagen", ["zeven dagen"]),
    ],
)
def test_a_quantity_that_no_passage_holds_is_marked_with_its_place(answer: str, marked: list[str]) -> None:
    found = unsupported(answer, [PASSAGE], "nl")
    assert [one.text for one in found] == marked
    assert all(answer[one.start : one.end] == one.text for one in found)


def test_a_thousand_in_an_english_answer_is_the_thousand_of_a_dutch_source() -> None:
    assert unsupported("Give 1,000 ml over one hour", [PASSAGE], "en") == ()
    assert [one.text for one in unsupported("Give 1.000 ml", [PASSAGE], "en")] == ["1.000 ml"]


def test_a_patients_age_and_weight_are_the_questions_own_but_a_dose_is_not() -> None:
    question = "kind van 4 jaar, 16 kg: mag ik 500 mg geven?"
    answer = "Een kind van 4 jaar en 16 kg krijgt 500 mg."
    assert [one.text for one in unsupported(answer, [PASSAGE], "nl", patient_of(question))] == ["500 mg"]


def test_without_passages_every_number_is_marked() -> None:
    assert [one.text for one in unsupported("Geef 5 mg in 2 giften", [], "nl")] == ["5 mg", "2"]


@given(st.text(alphabet="0123456789 .,-/½abcdghiklmnoprstuxµ%()\n", max_size=80), st.sampled_from(["nl", "en"]))
def test_a_text_supports_itself(text: str, language: str) -> None:
    assert unsupported(text, [SupportPassage(text, language)], language) == ()


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(["nl", "en"]))
def test_another_passage_never_makes_a_number_unsupported(answer: str, more: str, language: str) -> None:
    alone = unsupported(answer, [PASSAGE], language)
    assert set(unsupported(answer, [PASSAGE, SupportPassage(more, language)], language)) <= set(alone)


AMOUNTS = st.decimals(min_value="0.001", max_value="99999", places=3).map(Fraction)


def dutch(value: Fraction) -> str:
    whole, _, rest = f"{float(value):,.3f}".replace(",", " ").partition(".")
    return whole.replace(" ", ".") + "," + rest


def english(value: Fraction) -> str:
    return f"{float(value):,.3f}"


@given(AMOUNTS)
def test_an_amount_is_the_same_in_dutch_and_english(value: Fraction) -> None:
    assert number_of(dutch(value), "nl") == number_of(english(value), "en") == value


@given(AMOUNTS, st.sampled_from([("mg", "g", 1000), ("µg", "mg", 1000), ("ml", "l", 1000), ("min", "uur", 60)]))
def test_an_amount_is_the_same_in_a_larger_unit(value: Fraction, units: tuple[str, str, int]) -> None:
    small, large, factor = units
    passage = SupportPassage(f"Geef {english(value)} {large} nu", "en")
    assert unsupported(f"Geef {english(value * factor)} {small}", [passage], "en") == ()
    assert unsupported(f"Geef {english(value * factor + 1)} {small}", [passage], "en") != ()
