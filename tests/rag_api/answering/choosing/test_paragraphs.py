"""A sentence is quoted with its paragraph, but with nothing that is for others; and the sentence
that was asked for stands out in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag_api.answering.choosing.paragraphs import LONGEST, with_paragraphs
from rag_api.answering.choosing.read_documents import ReadDocuments
from rag_api.answering.choosing.span_selection import Section
from rag_api.answering.quote_structure import parts_of
from rag_api.domain import Candidate
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander
from rag_api.text.blocks import blocks_of
from rag_api.text.quotable.quotable_spans import quotable_of

pytestmark = pytest.mark.quick

BALLOON = (
    "De ballon wordt gevuld met 500 ml onder echografie. De ballon blijft 6 tot 24 uur. Leeg hem "
    "overdag.\n\nBel dan de arts.\n"
)


def section(text: str, question: str, *words: str) -> Section:
    """The sentences that hold these words, best first."""
    quotes = quotable_of(text)
    found = [next(q for q in quotes if one in text[q.start : q.end]) for one in words]
    candidates = [
        Candidate("d", q.start, q.end, q.lead, "".join(text[a:b] for a, b in (*q.lead, (q.start, q.end))), -float(n), 1)
        for n, q in enumerate(found)
    ]
    return Section(tuple(candidates), asked=analyse(question, Expander([])))


def quoted(text: str, question: str, *words: str) -> list[str]:
    (grown,) = with_paragraphs([section(text, question, *words)], ReadDocuments({"d": text}, {}))
    return [candidate.text for candidate in grown.candidates]


def test_a_sentence_brings_its_paragraph_and_not_the_next_one() -> None:
    assert quoted(BALLOON, "hoelang blijft de ballon", "blijft") == [BALLOON.split("Bel")[0]]


def test_what_comes_first_for_one_question_is_not_quoted_for_the_other_too() -> None:
    asked = [
        section(BALLOON, "hoelang blijft de ballon", "blijft", "Bel"),
        section(BALLOON, "wie bellen", "Bel", "gevuld"),
    ]
    first, second = with_paragraphs(asked, ReadDocuments({"d": BALLOON}, {}))
    assert [one.text for one in first.candidates] == [BALLOON.split("Bel")[0]]
    assert [one.text for one in second.candidates] == ["Bel dan de arts.\n"]


def test_a_second_sentence_of_it_is_not_quoted_twice() -> None:
    found = quoted(BALLOON, "hoelang blijft de ballon", "blijft", "gevuld", "Bel")
    assert [text.count("500 ml") for text in found] == [1, 0]


@pytest.mark.parametrize(
    ("question", "text", "asked", "left"),
    [
        (
            "vancomycine hoe snel",
            "Geef vancomycine traag. Spoel na. Gentamicine mag in 5 minuten. Bewaar koel.\n",
            "traag",
            "Geef vancomycine traag. Spoel na. ",
        ),
        (
            "water drinken kind voor operatie",
            "Volwassenen drinken tot 2 uur vooraf. Een kind drinkt tot 1 uur vooraf. Noteer het.\n",
            "kind",
            "Een kind drinkt tot 1 uur vooraf. Noteer het.\n",
        ),
        (
            "paracetamol kind 12 kg hoeveel",
            "Geef traag. Een kind van 12 kg krijgt 180 mg. Een kind van 6 kg krijgt 45 mg. Noteer het.\n",
            "180 mg",
            "Geef traag. Een kind van 12 kg krijgt 180 mg. ",
        ),
        (
            "metformine bij egfr 25",
            "Metformine gaat door bij een eGFR van 30 ml/min of meer. Bij een eGFR onder 30 ml/min wordt ze gestopt. "
            "Herstart na 2 d.\n",
            "gestopt",
            "Bij een eGFR onder 30 ml/min wordt ze gestopt. Herstart na 2 d.\n",
        ),
    ],
)
def test_it_is_cut_where_a_sentence_is_of_another_drug_patient_or_number(
    question: str, text: str, asked: str, left: str
) -> None:
    assert quoted(text, question, asked) == [left]


def test_a_row_and_a_list_item_stay_as_they_are() -> None:
    text = "Gewicht\tDosis\n10 kg\t150 mg\n20 kg\t300 mg\n"
    assert quoted(text, "dosis bij 20 kg", "300 mg") == ["Gewicht\tDosis\n20 kg\t300 mg\n"]


def test_of_a_long_paragraph_what_stands_nearest_is_quoted() -> None:
    text = " ".join(f"Zin nummer {n} zegt hoe het verder gaat met de zorg." for n in range(40)) + "\n"
    (found,) = quoted(text, "hoe gaat het verder", "nummer 20 ")
    assert "nummer 20 " in found
    assert LONGEST / 2 < len(found) <= LONGEST


def test_what_answers_the_second_of_two_questions_is_not_said_again_when_the_first_ones_paragraph_holds_it() -> None:
    both = [
        section(BALLOON, "hoeveel ml in de ballon", "gevuld"),
        section(BALLOON, "hoelang blijft de ballon", "blijft"),
    ]
    assert len(with_paragraphs(both, ReadDocuments({"d": BALLOON}, {}))) == 1


def test_a_table_is_not_quoted_whole_behind_the_row_that_answers_the_first_question() -> None:
    text = "Plaats\tMiddel\tDuur\nneus\tzalf\t5 dagen\nkeel\tspoeling\t3 dagen\n"
    row = section(text, "wat voor de keel", "spoeling")
    table = replace(row, candidates=(replace(row.candidates[0], start=0, end=len(text), lead=(), text=text),))
    assert with_paragraphs([row, table], ReadDocuments({"d": text}, {})) == [row]


def test_the_sentence_that_was_asked_for_is_told_from_its_paragraph() -> None:
    (grown,) = with_paragraphs(
        [section(BALLOON, "hoelang blijft de ballon", "blijft")], ReadDocuments({"d": BALLOON}, {})
    )
    candidate = grown.candidates[0]
    assert candidate.said is not None
    (part,) = parts_of(BALLOON, blocks_of(BALLOON), candidate.start, candidate.end, said=[candidate.said])
    assert [BALLOON[piece.start : piece.end] for piece in part.pieces if piece.asked] == [
        "De ballon blijft 6 tot 24 uur."
    ]


def test_a_sentence_that_is_its_whole_paragraph_needs_no_telling() -> None:
    (grown,) = with_paragraphs([section(BALLOON, "wie bellen", "Bel")], ReadDocuments({"d": BALLOON}, {}))
    assert grown.candidates[0].said is None
