"""A patient with too much potassium is not told how potassium is given."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from rag_api.answering.choosing.fitting import is_unfit
from rag_api.answering.warnings.source_warnings import usable, warned
from rag_api.domain import Candidate, Chunk, Document, DocumentStatus, Filters, Hit, Metadata, Source, User
from rag_api.guard.numbers.levels import is_about_the_other, level_in
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("question", "high"),
    [
        ("kalium 6.9, alles wat we kunnen geven", True),
        ("te hoge kalium: welke pillen stoppen", True),
        ("K 7,1 en brede QRS", True),
        ("K veel te hoog bij volwassene", True),
        ("potassium is way too high", True),
        ("treatment of hyperkalaemia", True),
        ("kalium 2,7 op de gewone afdeling", False),
        ("low potassium after vomiting", False),
        ("hyponatriemie van 118", False),
        ("natrium 118", False),
        ("hoe snel mag kalium lopen", None),
        ("kalium 40 mmol in een zak", None),
        ("kalium 4,2 normaal?", None),
        ("kalium infuus hoe hoog mag de pomp hangen", None),
        ("hypo- of hyperkaliëmie, kalium 2,9 of 6,9", None),
        ("hoge bloeddruk", None),
        ("hoeveel insuline bij glycemie 450", True),
        ("suiker van 24,3 wat spuiten", True),
        ("bloedsuiker veel te hoog na prednison", True),
        ("blood sugar is 310, units?", True),
        ("glycemie 45 en zweten", False),
        ("sugar 2.9 in a newborn", False),
        ("baby glycemie 30, geen klachten", None),
        ("glucose of 20 mg/dl in a newborn, dextrose?", False),
        ("glucose 20 mmol/l, hoeveel insuline", True),
        ("kalium 7 mmol/l", True),
        ("hypoglycemie bij een kind", False),
        ("glycemie 120 voor het eten", None),
        ("glucose 10 % per infuus", None),
        ("glucose 50 ml over 5 minuten", None),
        ("glucose 30 g per os", None),
        ("hypo- of hyperglycemie herkennen", None),
        ("glucose 5 mg/kg/min bij een baby", None),
    ],
)
def test_a_salt_that_is_out_of_range_is_known_by_words_and_by_its_value(question: str, high: bool | None) -> None:
    level = analyse(question, Expander([])).level
    assert (level.high if level is not None else None) is high


def test_too_much_is_no_drug_that_is_given_and_is_looked_for_by_its_name() -> None:
    analysis = analyse("te hoge kalium, wat geven", Expander([]))
    assert analysis.drugs == ()
    assert {"hyperkaliëmie", "hyperkalaemia"} <= set(analysis.expansions)
    assert not {"kcl", "kaliumchloride"} & set(analyse("kalium 6,9 wat geven", Expander([])).expansions)
    assert analyse("kalium 2,7, hoeveel kalium geven", Expander([])).drugs == ("kalium",)


def test_what_is_about_giving_it_is_about_the_other_way_round() -> None:
    high, low = level_in("kalium 6,9"), level_in("kalium 2,4")
    assert high is not None
    assert low is not None
    for title in (
        "Kaliumsubstitutie intraveneus",
        "Hypokalaemia in adults",
        "Intravenous potassium replacement",
        "KCl per infuus",
    ):
        assert is_about_the_other(high, title)
        assert not is_about_the_other(low, title)
    for title in ("Hyperkalaemia in adults", "Hyperkaliëmie: stop kaliumsupplementen", "Insuline bij volwassenen"):
        assert not is_about_the_other(high, title)
    assert is_about_the_other(low, "Hyperkalaemia in adults")


def test_too_much_sugar_is_not_treated_as_too_little() -> None:
    high, low = level_in("glycemie 450"), level_in("glycemie 45")
    assert high is not None
    assert low is not None
    for text in (
        "Hypoglykemie bij volwassenen",
        "Hypoglycaemia in children",
        "Bij een hypoglycemie stopt de insuline.",
    ):
        assert is_about_the_other(high, text)
        assert not is_about_the_other(low, text)
    for text in (
        "Diabetische ketoacidose",
        "Hypo- en hyperglycemie",
        "Zakt de glycemie onder 250 mg/dl, hang dan een glucose-infuus aan.",
    ):
        assert not is_about_the_other(high, text)
    assert is_about_the_other(low, "Hyperglykemie op de afdeling")
    assert {"hyperglycemie", "hyperglycaemia"} <= set(
        analyse("hoeveel insuline bij glycemie 450", Expander([])).expansions
    )
    assert "insuline" in analyse("hoeveel insuline bij glycemie 450", Expander([])).drugs
    assert "glucose" not in analyse("glucose 450, wat geven", Expander([])).drugs


def source(rank: int, title: str) -> Source:
    document = Document(
        title, f"{title}.pdf", "", "application/pdf", DocumentStatus.INDEXED, "", Metadata(title=title), 1, 1, 1
    )
    return Source(Hit(Chunk(title, title, title, (1,), 0, 1, "x"), 0.5, 0.5, 0.5, rank), document, 1, ())


def test_no_answer_comes_from_a_document_or_sentence_about_the_other() -> None:
    question = analyse("kalium 6,9, wat geven", Expander([]))
    container: Any = SimpleNamespace(settings=SimpleNamespace(passages=3))
    both = [source(1, "Kaliumsubstitutie intraveneus"), source(2, "Hyperkalaemia in adults")]
    said = warned(both, question, User(id="u", name="U", groups=("everyone",)), Filters(), "nl", container)
    assert [one.hit.rank for one in usable(said.sources, 7)] == [2]
    assert [(one.code, one.text) for one in said.sources[0].cautions] == [
        ("other_level", "Dit document gaat over kalium geven of over een tekort; de vraag gaat over te veel.")
    ]
    sentence = Candidate("d", 0, 10, (), "Kaliumchloride loopt aan hoogstens 10 mmol per uur.", 0.0, 1)
    assert is_unfit(question, sentence)
    assert not is_unfit(question, replace(sentence, text="Geef calciumgluconaat 10 % 30 ml over 10 minuten."))
