"""Words of a question that the passage does not name."""

from __future__ import annotations

import pytest

from rag_api.domain import TargetGroup
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander, Pair
from rag_api.query.unnamed import MOST, is_specific, unnamed

pytestmark = pytest.mark.quick

LISTS = Expander([Pair("haakjes", "nietjes"), Pair("PICC", "perifeer ingebrachte centrale katheter")])


def missing(
    question: str, passage: str, *, crossed: bool = False, about: set[TargetGroup] | None = None
) -> tuple[str, ...]:
    asked = analyse(question, LISTS)
    return unnamed(question, asked.sought, passage, crossed=crossed, about=about or set())


def test_a_condition_that_the_passage_does_not_name_is_told_as_it_was_typed() -> None:
    assert missing(
        "Vaccinatie tegen Polio bij splenectomie?", "Vaccinaties bij splenectomie: pneumokokken en meningokokken."
    ) == ("Polio",)


def test_general_words_are_never_told() -> None:
    assert missing("hoeveel kost het parkeren in het weekend", "De cafetaria is open van 8 tot 20 uur.") == ()


def test_a_word_is_named_by_what_the_lists_call_it() -> None:
    assert missing("wanneer mogen de haakjes eruit", "Nietjes worden op dag 14 verwijderd.") == ()
    assert missing("picc spoelen", "De perifeer ingebrachte centrale katheter wordt wekelijks gespoeld.") == ()


def test_a_drug_is_named_by_its_brand_and_no_other_drug() -> None:
    assert missing("haldol dosis bij delier", "Haloperidol 0,5 mg bij een delier.") == ()
    assert missing("quetiapine dosis bij delier", "Haloperidol 0,5 mg bij een delier.") == ("quetiapine",)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("spoelen van poortkatheters", "De poortkatheter wordt om de 4 weken gespoeld."),  # inflected
        ("kathter spoelen", "De katheter wordt gespoeld."),  # misspelt
        ("prothese infectie", "Bij een heupprothese."),  # within a compound
        ("heupprothese", "Na een prothese van de heup."),  # a compound of what stands apart
        ("stollingsstoornis", "Bij een stoornis van de stolling."),  # with an s between
    ],
)
def test_a_word_in_another_form_is_named(question: str, passage: str) -> None:
    assert missing(question, passage) == ()


def test_half_of_a_compound_does_not_name_it() -> None:
    assert missing("knieprothese", "Na een prothese van de heup.") == ("knieprothese",)


def test_a_patient_is_named_by_another_word_or_by_whom_the_document_is_for() -> None:
    assert missing("neonaat vitamine", "Elke pasgeborene krijgt vitamine K.") == ()
    assert missing("neonaat vitamine", "Elke patient krijgt vitamine K.") == ("neonaat",)
    assert missing("neonaat vitamine", "Vitamine K wordt gegeven.", about={TargetGroup.NEONATE}) == ()


def test_across_languages_only_drugs_are_told() -> None:
    passage = "Haloperidol 0,5 mg bij onrust."
    assert missing("quetiapine for catatonic inpatients", passage, crossed=True) == ("quetiapine",)
    assert "catatonic" in missing("quetiapine for catatonic inpatients", passage)


def test_at_most_so_many_words_are_told() -> None:
    assert len(missing("glaucoom psoriasis sarcoïdose endometriose hemochromatose achalasie", "Openingsuren.")) == MOST


def test_numbers_and_short_words_are_not_specific() -> None:
    assert [word for word in ("12", "b12", "iv", "polio") if is_specific(word)] == ["polio"]
