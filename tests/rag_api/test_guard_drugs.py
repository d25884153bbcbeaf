"""A question's drugs are known by their endings, and a text names them or not."""

from __future__ import annotations

from functools import cache

import pypdfium2 as pdfium
import pytest

from rag_api.evaluate import HANDBOOK, read_judged
from rag_api.guard.drugs import drugs_in, names


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("dosis amoxicilline bij een zwangere", ("amoxicilline",)),
        ("Fenytoïne of midazolam?", ("fenytoine", "midazolam")),
        ("piperacilline-tazobactam", ("piperacilline",)),
        ("which internal medicine ward, since april, for skin care?", ()),
        ("hoe vaak de mond spoelen?", ()),
    ],
)
def test_drugs_are_known_by_their_endings(question: str, drugs: tuple[str, ...]) -> None:
    assert drugs_in(question) == drugs


@pytest.mark.parametrize(
    ("drug", "text"),
    [
        ("amoxicillin", "Amoxicilline 50 mg/kg"),
        ("phenytoin", "fenytoïne traag inlopen"),
        ("vancomicine", "de vancomycinespiegel"),
        ("morphine", "MORFINE"),
        ("gentamycine", "gentamicine"),
    ],
)
def test_a_drug_is_found_in_two_languages_in_longer_words_and_misspelt(drug: str, text: str) -> None:
    assert names(text, [drug])


@pytest.mark.parametrize(
    ("drug", "text"),
    [
        ("amoxicilline", "enoxaparine, flucloxacilline"),
        ("ropivacaine", "bupivacaïne"),
        ("cefazoline", "cefoxitine"),
        ("lorazepam", "clonazepam"),
    ],
)
def test_one_drug_is_not_taken_for_another(drug: str, text: str) -> None:
    assert not names(text, [drug])


def test_every_judged_answer_stands_in_a_document_that_names_the_questions_drug() -> None:
    """By the handbook's own words: so the rule refuses nothing that is answered there."""
    asked = [(drugs_in(one.question), one.places) for one in read_judged(HANDBOOK) if one.answerable and drugs_in(one.question)]
    assert len(asked) >= 30
    assert [drugs for drugs, places in asked if not any(names(text_of(place.document), drugs) for place in places)] == []


@cache
def text_of(source: str) -> str:
    path = HANDBOOK.parent / "pdf" / source
    with pdfium.PdfDocument(path) as document:
        pages = [page.get_textpage().get_text_bounded() for page in document]
    return " ".join(pages).replace("\ufffe", "").replace("-\r\n", "")
