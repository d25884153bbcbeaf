"""Shorthand typed in a hurry is written out, and what only looks like it is left alone."""

from __future__ import annotations

import pytest

from rag_api.guard.drugs import given_in, substance_of
from rag_api.query.analysis import analyse
from rag_api.query.shorthand import written_out
from rag_api.query.synonyms import Expander

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hvl dgn verband laten zitten", "hoeveel dagen verband laten zitten"),
        ("wnr eten na 24u", "wanneer eten na 24 uur"),
        ("when to eat b4 theatre", "when to eat before theatre"),
        ("how often obs in the first 4h", "how often observations in the first 4 hours"),
        ("wat zit er in de spoedkoffer", "wat bevat de spoedkoffer"),
        ("K 2,7 wat geven", "kalium 2,7 wat geven"),
        ("what to give with K 6.7", "what to give with potassium 6.7"),
        ("at what K does the lab ring us", "at what potassium does the lab ring us"),
        ("bij welke K belt het labo", "bij welke kalium belt het labo"),
        ("K veel te hoog bij volwassene", "kalium veel te hoog bij volwassene"),
        ("xylocaine zonder adr max", "xylocaine zonder adrenaline max"),
        ("Na 121 bij een volwassene", "natrium 121 bij een volwassene"),
        ("wat met een pt die valt", "wat met een patiënt die valt"),
        ("can the pt on apixaban have a bath", "can the patient on apixaban have a bath"),
        ("hoeveel zovirax voor een dialysept", "hoeveel zovirax voor een dialysepatiënt"),
        ("welke kamer voor mrsapten", "welke kamer voor mrsapatiënten"),
        ("hoe vaak de pac spoelen met 10 cc", "hoe vaak de poortkatheter spoelen met 10 ml"),
    ],
)
def test_an_abbreviation_is_written_out_in_the_questions_language(typed: str, meant: str) -> None:
    assert written_out(typed) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "Na 2 dagen verband weg",
        "vitamine K 10 mg geven",
        "which K wire for a finger",
        "K 40 mmol in een zak",
        "hoe laat is de dienst",
        "insuline 10 eenheden geven",
        "10 mg/h is te veel",
        "hoe hoog is de PT",
        "de pt waarde is 45 %",
        "wanneer stopt het recept",
        "a prompt answer",
        "",
    ],
)
def test_what_only_looks_like_an_abbreviation_is_left_alone(typed: str) -> None:
    assert written_out(typed) == typed


def test_units_of_insulin_are_no_hours() -> None:
    assert written_out("10u insuline geven") == "10 units insuline geven"


def test_a_level_of_a_salt_is_no_drug_that_is_given() -> None:
    assert given_in("kalium 6,7 wat geven") == given_in("potassium of 2.9, what now") == ()
    assert given_in("kalium 40 mmol geven") == ("kalium",)
    assert given_in("kalium 2,7: hoeveel kalium en magnesium") == ("kalium", "magnesium")


def test_a_brand_is_also_looked_for_by_its_substance() -> None:
    assert substance_of("tavanic") == "levofloxacine"
    assert substance_of("levofloxacine") == substance_of("verband") == ""
    assert "levofloxacine" in analyse("tavanic hoelang", Expander([])).expansions
