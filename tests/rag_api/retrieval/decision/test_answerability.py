"""Answerability of a question by what was found: what speaks for it, and that no language model is
asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag_api.domain import Candidate, Chunk, Hit
from rag_api.query.synonyms import Pair
from rag_api.retrieval.decision.answerability import decide, probability, signals
from rag_api.retrieval.decision.calibration import NotFoundModel
from tests.support.questions import analysed

pytestmark = pytest.mark.quick

HIT = Hit(
    Chunk("c", "d", "Kaliumchloride", (1,), 0, 50, "Geef kaliumchloride traag. Meet na een uur opnieuw.\n"),
    0.8,
    0.9,
    9.0,
    1,
)
QUESTION = analysed("vraag")
FITTED = NotFoundModel({"intercept": -2.0, "cosine": 2.0, "information": 2.0, "lead": 1.0, "names": 1.0}, threshold=0.5)


def sentence(score: float) -> Candidate:
    return Candidate("d", 0, 4, (), "Geef", score, 1)


def test_a_sentence_that_stands_out_speaks_for_an_answer() -> None:
    one_of_many = signals(analysed("vraag"), [HIT], [sentence(9.0)] * 8)
    alone = signals(analysed("vraag"), [HIT], [sentence(9.0), *[sentence(3.0)] * 7])
    assert one_of_many["lead"] == 0.0
    assert alone["lead"] == pytest.approx(5.0)
    assert probability(alone, FITTED) > probability(one_of_many, FITTED)


def test_names_are_looked_for_in_the_best_document() -> None:
    there = signals(analysed("kaliumchloride opnieuw"), [HIT], [])["names"]
    missing = signals(analysed("sondevoeding stabiel"), [HIT], [])["names"]
    assert there == 1.0
    assert missing < 0.7
    assert signals(analysed("is het"), [HIT], [])["names"] == signals(analysed("vraag"), [], [])["names"] == 0.0


def test_a_name_also_counts_by_what_else_it_is_called_and_a_short_word_for_less() -> None:
    assert signals(analysed("steralpot", [Pair("steralpot", "kaliumchloride")]), [HIT], [])["names"] == 1.0
    assert signals(analysed("potassium"), [HIT], [])["names"] == 1.0  # a drug that the table knows
    assert signals(analysed("uur"), [HIT], [])["names"] == 0.5


@pytest.mark.parametrize(("cosine", "answerable"), [(0.9, True), (0.1, False)])
def test_the_chance_decides_against_the_threshold(cosine: float, answerable: bool) -> None:
    decision = decide(analysed("metoclopramide"), [replace(HIT, dense_score=cosine)], [sentence(1.0)], FITTED)
    assert decision.answerable is answerable
    assert decision.signals["cosine"] == cosine


def test_a_question_for_a_whole_list_is_refused_less_readily() -> None:
    fact, whole = (
        decide(analysed(asked), [HIT], [], FITTED)
        for asked in ("kaliumchloride traag", "kaliumchloride traag, alle stappen")
    )
    assert whole.confidence > fact.confidence
    assert whole.signals == {**fact.signals, "whole": 1.0}


def test_a_threshold_of_the_settings_replaces_the_calibrated_one() -> None:
    assert not decide(QUESTION, [HIT], [], FITTED, threshold=0.9999).answerable
    assert decide(QUESTION, [replace(HIT, dense_score=0.0, bm25_score=0.0)], [], FITTED, threshold=0.0).answerable


def test_without_a_calibration_nothing_is_refused_and_what_the_rules_refuse_stays_refused() -> None:
    assert decide(QUESTION, [replace(HIT, dense_score=0.0, bm25_score=0.0)], [], None).answerable
    assert not decide(QUESTION, [HIT], [], FITTED, only_for_others=True, threshold=0.0).answerable
    assert not decide(QUESTION, [], [], FITTED, threshold=0.0).answerable


def test_a_document_that_does_not_name_the_device_that_is_asked_about_speaks_against_an_answer() -> None:
    picc = "Een PICC wordt elke week gespoeld.\n"
    assert signals(analysed("hoe vaak een poortkatheter spoelen"), [HIT], [sentence(1.0)], {"d": picc})["absent"] == 1.0
    assert signals(analysed("hoe vaak een PICC spoelen"), [HIT], [sentence(1.0)], {"d": picc})["absent"] == 0.0
    assert signals(analysed("hoe vaak een poortkatheter spoelen"), [], [], {})["absent"] == 0.0


def test_with_is_no_answer_to_without_where_the_document_never_says_without() -> None:
    asked, best = analysed("wat kost het zonder roesje"), replace(sentence(9.0), text="Met roesje kost het 24 euro.")
    only_with = {"d": "Met roesje kost het 24 euro. Eten mag daarna."}
    both = {"d": "Met roesje kost het 24 euro, zonder roesje 12 euro."}
    assert not decide(asked, [HIT], [best], None, texts=only_with).answerable
    assert decide(asked, [HIT], [best], None, texts=both).answerable
