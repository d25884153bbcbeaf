"""Ranges of a sentence and the numbers of a question: which row of a table is the patient's."""

from __future__ import annotations

import pytest

from rag_api.text.ranges import asked, fits, fits_age, ranges

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("mag een volw van 45 kg", "Volwassene van 33 tot 50 kg\t15 mg/kg\tminstens 6 uur"),
        ("kalium van 2,7, hoeveel kaliumchloride", "Kalium 2,5 tot 2,9 mmol/l\t40 mmol over 4 uur"),
        ("adrenaline kind 4 jaar", "Kind tot 6 jaar (tot 25 kg)\tadrenaline 0,15 mg"),
        ("morfine bij een 75 jarige", "Volwassene van 70 jaar of ouder\t1 mg"),
        ("mews 6 wie bellen", "MEWS 5 of 6\tmeting om de 30 minuten"),
        ("stop metformin with egfr 40?", "Metformin is continued when the eGFR is 30 ml/min or more."),
        ("kleuter 2j na morfine", "Kind van 1 tot 4 jaar\tonder 18 per minuut"),
        ("trache fell out day 3", "Tube out within 7 days\tdo not push it back"),
        ("punten bij een pols van 118", "Pols per minuut\tonder 40\t40–50\t51–100\t101–110\t111–129\t130 of meer"),
        ("de picc steekt 3 cm verder uit", "Katheter meer dan 2 cm uitgeschoven"),
    ],
)
def test_a_range_that_holds(question: str, text: str) -> None:
    assert fits(asked(question), text) == 1


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("kalium van 2,7, hoeveel kaliumchloride", "Kalium 2,0 tot 2,4 mmol/l\t60 mmol over 3 uur op SIC\tna 2 uur"),
        ("adrenaline kind 4 jaar", "Kind van 6 tot 12 jaar\tadrenaline 0,3 mg"),
        ("adrenaline kind 4 jaar", "Kind ouder dan 12 jaar"),
        ("morfine bij een 75 jarige", "Volwassene jonger dan 70 jaar, meer dan 60 kg"),
        ("mews 6 wie bellen", "MEWS 3 of 4\tmeting herhalen na 1 uur"),
        ("stop metformin with egfr 40?", "Below an eGFR of 30 ml/min, metformin is stopped."),
        (
            "kalium 2,3 wat doen",
            "Bij een kalium tussen 3,0 en 3,5 mmol/l volstaat 40 tot 80 mmol per dag, verdeeld over 2 tot 4 giften.",
        ),
        ("kind van 4 jaar en 30 kg", "Kind van 1 tot 6 jaar, tot 25 kg"),  # one of two does not hold
    ],
)
def test_a_range_that_does_not_hold(question: str, text: str) -> None:
    assert fits(asked(question), text) == -1


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("hoeveel paracetamol", "Kind tot 6 jaar"),  # no number asked
        ("kind van 4 jaar", "Geef 15 mg/kg."),  # no range
        ("kind van 4 jaar", "Kind tot 25 kg"),  # a range of something else
        ("mews 6 wie bellen", "Meet 3 tot 4 keer per dag."),  # another thing without a unit
        ("", ""),
        ("1.2.3", "²½ tot ٣"),
    ],
)
def test_what_cannot_be_compared(question: str, text: str) -> None:
    assert fits(asked(question), text) == 0


@pytest.mark.parametrize(
    "text", ["zomer van 2023", "de richtlijn van 12 artsen", "from 2019 on", "sinds 2021", "tot 2030"]
)
def test_a_calendar_year_and_what_only_belongs_to_something_open_no_range(text: str) -> None:
    assert ranges(text) == []


def test_a_point_before_three_digits_parts_thousands() -> None:
    (found,) = ranges("kleine helikopters (< 10.000 kg)")
    assert (found.high, found.unit) == (10_000, "kg")
    assert ranges("onder 0.125 mg/l")[0].high == 0.125


def test_under_a_number_is_not_from_it_on_and_an_order_is_no_amount() -> None:
    assert fits(asked("infant under 10 kg"), "child from 10 to 33 kg") == -1
    assert fits(asked("infant under 10 kg"), "child up to 10 kg") == 1
    assert fits(asked("boven 33 kg"), "kind van 10 tot 33 kg") == -1
    assert [one.number for one in asked("sepsis 1st hour, 2e gift, 3 uur")] == [3]


def test_the_number_of_a_person_is_an_age() -> None:
    assert fits(asked("dosis voor een kind van 8"), "Kind van 6 tot 12 jaar") == 1
    assert fits(asked("dosis voor een kind van 8"), "Kind tot 6 jaar") == -1
    assert fits(asked("and a boy of 8?"), "Child from 20 to 30 kg") == 0
    assert fits(asked("baby van 3"), "Kind van 1 tot 5 jaar") == 0


def test_what_stands_between_a_value_and_its_name_is_read_over() -> None:
    assert fits(asked("vanco drip, eGFR about 45"), "eGFR above 90 ml/min: 40 mg/kg") == -1
    assert fits(asked("vanco drip, eGFR about 45"), "eGFR 30 to 59 ml/min: 20 mg/kg") == 1
    assert fits(asked("trough came back 8"), "Child trough below 10 mg/l") == 1
    assert fits(asked("dalspiegel kwam terug op 8"), "Dalspiegel 16 tot 20 mg/l") == -1


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("zak laten lopen bij iemand van 82", "bij wie ouder dan 70 jaar is", 1),
        ("pt 39,2 wat nu", "ouder dan 70 jaar", 0),
        ("dalspiegel genta 1,6", "Dalspiegel 1 tot 2 mg/l\tinterval verlengen", 1),
        ("dalspiegel genta 1,6", "Dalspiegel lager dan 1 mg/l\tzelfde dosis", -1),
        ("kind van 1 jaar", "Kind van 2 maanden tot 5 jaar\t10 gram", 1),
        ("kind van 6 jaar", "Kind van 2 maanden tot 5 jaar\t10 gram", -1),
    ],
)
def test_an_age_of_somebody_a_level_before_a_drug_and_a_range_of_two_units(
    question: str, text: str, verdict: int
) -> None:
    assert fits(asked(question), text) == verdict


def test_a_babys_weeks_are_an_age() -> None:
    assert fits_age(asked("baby van 6 weken"), "Zuigeling onder 2 maanden") == 1
    assert fits_age(asked("baby van 12 weken"), "Zuigeling onder 2 maanden") == -1
    assert fits_age(asked("wonde van 6 weken"), "Zuigeling onder 2 maanden") == 0
