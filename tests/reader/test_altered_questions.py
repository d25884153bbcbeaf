"""Questions altered by rule: what is exchanged is new to the document, what is renamed is the same, spans stay where they belong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rag_api.guard.concepts import concepts_in
from rag_api.guard.drugs import substances
from rag_api.retrieval.reader import Passage
from services.reader.altered import exchanged, exchanged_in_both, in_own_words, misspelt, renamed, things, turned

pytestmark = pytest.mark.quick

TEXT = "Spoel de PICC met 10 ml. Geef vóór het spoelen heparine.\nDag\tDosis\nEerste dag\t5 mg\n"
PASSAGE = Passage("De PICC", "Spoelen", TEXT, ((0, 24), (25, 56), (67, 82)))


def drawn(alter: Callable[[np.random.Generator], str | None], times: int = 30) -> set[str | None]:
    return {alter(np.random.default_rng(seed)) for seed in range(times)}


def test_a_thing_is_exchanged_for_one_that_the_document_does_not_name() -> None:
    for found in drawn(lambda chance: exchanged("hoe vaak een picc", TEXT, chance)):
        assert found is not None
        assert found.startswith("hoe vaak een ")
        assert not concepts_in(found) & concepts_in("picc")


def test_a_drug_is_exchanged_for_a_drug() -> None:
    for found in drawn(lambda chance: exchanged("wanneer heparine geven", TEXT, chance)):
        assert found is not None
        assert [thing.kind for thing in things(found)] == ["drug"]
        assert "heparin" not in found


def test_every_name_of_a_drug_is_one_thing() -> None:
    missed = [name for own in substances() for name in own if [thing.kind for thing in things(f"wanneer {name} geven")] != ["drug"]]
    assert missed == []


def test_what_the_document_does_not_name_is_left() -> None:
    assert drawn(lambda chance: exchanged("hoe een blaaskatheter plaatsen", "Over iets anders.", chance)) == {None}


def test_a_thing_is_called_by_its_other_names() -> None:
    found = drawn(lambda chance: renamed("hoe vaak een picc", chance)) - {None}
    assert len(found) > 1
    assert all(one is not None and concepts_in(one) & concepts_in("picc") for one in found)


def test_a_word_is_turned_only_where_the_document_does_not_have_its_opposite() -> None:
    assert drawn(lambda chance: turned("wat geven voor het spoelen", "Geef heparine.", chance)) == {"wat geven na het spoelen"}
    assert drawn(lambda chance: turned("wat geven voor het spoelen", "Na het spoelen niets.", chance)) == {None}


def test_a_misspelt_question_has_one_word_otherwise() -> None:
    for found in drawn(lambda chance: misspelt("hoe vaak poortkatheter spoelen", chance)):
        assert found is not None
        changed = [one for one, other in zip(found.split(), ["hoe", "vaak", "poortkatheter", "spoelen"], strict=True) if one != other]
        assert len(changed) <= 1
    assert misspelt("hoe nu", np.random.default_rng(0)) is None


def test_what_is_exchanged_in_both_leaves_each_span_around_its_words() -> None:
    for seed in range(20):
        both = exchanged_in_both("hoe vaak een picc", PASSAGE, TEXT, np.random.default_rng(seed))
        assert both is not None
        question, other = both
        said = [other.text[start:end] for start, end in other.spans]
        assert not concepts_in(other.text) & concepts_in("picc")
        assert "picc" not in question
        assert said[0].startswith("Spoel de ")
        assert said[0].endswith("met 10 ml.")
        assert said[1:] == [TEXT[start:end] for start, end in PASSAGE.spans[1:]]


def test_own_words_are_the_sentence_s_in_their_order_or_a_row_and_a_column() -> None:
    rows = drawn(lambda chance: in_own_words(TEXT, PASSAGE.spans[2], "Schema", chance))
    assert rows == {"Dosis Eerste dag", "Eerste dag Dosis", "Schema Dosis Eerste dag", "Schema Eerste dag Dosis"}
    said = "Controleer dagelijks de insteekplaats onder het verband"
    for found in drawn(lambda chance: in_own_words(said, (0, len(said)), "PICC", chance)):
        assert found is not None
        places = [said.index(word) for word in found.split()]
        assert places == sorted(places)
        assert len(places) >= 3


def test_places_in_a_text_whose_letters_are_several_are_not_taken() -> None:
    assert [thing.kind for thing in things("½ picc en heparine")] == ["drug"]
