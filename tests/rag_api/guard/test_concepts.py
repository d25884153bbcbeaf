"""Clinical concepts: their table, how a text names them, and when a document does not speak of what
is asked."""

from __future__ import annotations

import pytest

from rag_api.guard.concepts import SPECIFIC, also_called, concepts, concepts_in, names_another

pytestmark = pytest.mark.quick


def named(text: str) -> set[str]:
    return {concepts()[line].names[0] for line in concepts_in(text)}


def test_every_concept_has_a_name_of_its_own_and_is_a_kind_of_one_of_its_kind() -> None:
    lines = concepts()
    assert len(lines) >= 1500
    assert len({concept.names[0] for concept in lines}) == len(lines)
    assert {concept.kind for concept in lines} >= SPECIFIC
    for concept in lines:
        assert concept.below is None or lines[concept.below].kind == concept.kind, concept
        assert len(set(concept.names)) == len(concept.names), concept


def test_nothing_is_a_kind_of_itself() -> None:
    for start in range(len(concepts())):
        seen, at = {start}, concepts()[start].below
        while at is not None:
            assert at not in seen
            seen.add(at)
            at = concepts()[at].below


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Mag een port-a-cath gespoeld worden", "poortkatheter"),
        ("de PAC spoelen", "poortkatheter"),
        ("blaaskatheters", "blaaskatheter"),  # a plural
        ("vaxigrip zetten", "griepvaccinatie"),
        ("spikevax", "covidvaccinatie"),
        ("optiray bij nierfalen", "contrastmiddel"),
        ("wondhaakjes", "nietjes"),  # as it stands in the table
        ("indwelling catheter care", "blaaskatheter"),  # two words
        ("katheterverzorging", "katheter"),  # what a compound begins with
        ("kinderrolstoel", "rolstoel"),  # and ends with
        ("Hypoglykemie", "hypoglycemie"),  # another spelling
        ("naar de OK", "operatiekwartier"),
        ("mag hij vastgemaakt worden", "fixatiemateriaal"),  # as staff say it
        ("antibiotica bij een patiënt in dip", "neutropenie"),
        ("spoelen na een hartmann-infuus", "ringerlactaat"),
        ("mumps virus", "bofvirus"),
    ],
)
def test_a_concept_is_known_by_any_name(text: str, concept: str) -> None:
    assert concept in named(text)


@pytest.mark.parametrize(
    "text",
    ["ok, dan niet", "it is 4 or 5", "een goed antwoord", "niet", "", "a tube with a button", "contra-indicatie: ci"],
)
def test_ordinary_words_name_nothing(text: str) -> None:
    assert not named(text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("een kop thee", "transoesofageale echo"),  # th is t
        ("TCA-overdosis", "knieprothese"),  # k is c
        ("in verband met de griep", "verband"),
        ("een glas water", "glasafval"),
        ("onze toevallige vondst", "convulsie"),
        ("how does it feel like", "hoofdluis"),  # lice
        ("de staf van de afdeling", "staphylococcus aureus"),  # staph
        ("drie rapporten schrijven", "poortkatheter"),  # porten
        ("een verbetering", "tuberculose"),  # tering
    ],
)
def test_a_word_that_looks_like_a_name_is_none(text: str, other: str) -> None:
    assert other in {concept.names[0] for concept in concepts()}
    assert other not in named(text)


def test_the_longest_name_counts() -> None:
    assert named("suprapubische katheter") == {"suprapubische katheter"}
    assert named("blaaskatheter") == {"blaaskatheter"}


@pytest.mark.parametrize(
    ("question", "document", "another"),
    [
        ("hoe vaak een poortkatheter spoelen", "Een PICC wordt elke week gespoeld.", True),  # a sibling
        ("hoe vaak een katheter spoelen", "Een PICC wordt elke week gespoeld.", False),  # a kind of it
        ("hoe vaak een PICC spoelen", "Een katheter wordt elke week gespoeld.", True),  # only what it is a kind of
        ("wanneer mogen de agrafen eruit", "Staples are removed on day 14.", False),  # another name
        ("wie belt de huisarts", "De arts belt.", False),  # staff are left unsaid too often
        ("hoeveel dagen", "14 dagen", False),
        ("wat bij stuipen", "Bij eclampsie geeft men magnesium.", False),  # of many diseases
        ("wat bij een beroerte", "Bij een herseninfarct belt men de neuroloog.", False),
        # what is done for the one harms in the other
        ("wat bij een herseninfarct", "Bij een hersenbloeding belt men de neuroloog.", True),
        ("geprikt aan een naald, wat nu", "Na een prikongeval wast men de wonde.", False),
        ("wanneer stoppen voor een operatie", "Stop 7 dagen vooraf.", False),  # what nearly all care has is left unsaid
        ("hoeveel optrekken", "Dose: 5 ml.", False),  # and so is what is done every day
    ],
)
def test_a_document_may_not_speak_of_what_is_asked(question: str, document: str, another: bool) -> None:
    assert names_another(question, concepts_in(document)) is another


def test_other_names_are_those_of_a_whole_word_that_means_one_specific_thing() -> None:
    assert "nietjes" in also_called("Haakjes")
    assert "surgery" in also_called("operatie")
    assert also_called("katheterverzorging") == also_called("huisarts") == also_called("dosis") == ()


def test_a_word_with_two_meanings_is_called_what_both_are_called() -> None:
    assert "isolatie" in also_called("isoleren")
    assert "isolation" in also_called("isoleren")
    assert "isolatie opstarten" not in also_called("isoleren")


def test_what_is_done_every_day_is_looked_for_in_both_languages() -> None:
    assert "drive" in also_called("autorijden")
    assert "draw up" in also_called("opgetrokken")
    assert "weggooien" in also_called("discard")
    assert "houdbaar" in also_called("expired")
