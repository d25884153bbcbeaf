"""Whether what was found is an answer: what speaks for it, and that no language model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.domain import Candidate, Chunk, Hit
from rag_api.retrieval.answerability import decided, probability, signals
from rag_api.retrieval.calibration import Calibration, NotFound
from rag_api.retrieval.retriever import Retrieval

pytestmark = pytest.mark.quick


class Flat:
    """Everything means the same."""

    name, dim = "flat", 2

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(np.array([1, 0], np.float32), (len(texts), 1))

    def query(self, text: str) -> NDArray[np.float32]:
        return np.array([1, 0], np.float32)


HIT = Hit(Chunk("c", "d", "Kaliumchloride", (1,), 0, 50, "Geef kaliumchloride traag. Meet na een uur opnieuw.\n"), 0.8, 0.9, 9.0, 1)
FITTED = NotFound({"intercept": -2.0, "cosine": 2.0, "information": 2.0, "lead": 1.0, "names": 1.0}, threshold=0.5)


def nothing(words: str) -> list[str]:
    return []


def sentence(score: float) -> Candidate:
    return Candidate("d", 0, 4, (), "Geef", score, 1)


def test_a_sentence_that_stands_out_speaks_for_an_answer() -> None:
    one_of_many = signals("vraag", [HIT], [sentence(9.0)] * 8, nothing)
    alone = signals("vraag", [HIT], [sentence(9.0), *[sentence(3.0)] * 7], nothing)
    assert one_of_many["lead"] == 0.0
    assert alone["lead"] == pytest.approx(5.0)
    assert probability(alone, FITTED) > probability(one_of_many, FITTED)


def test_names_are_looked_for_in_the_best_document() -> None:
    there = signals("kaliumchloride opnieuw", [HIT], [], nothing)["names"]
    missing = signals("sondevoeding stabiel", [HIT], [], nothing)["names"]
    assert there == 1.0
    assert missing < 0.7
    assert signals("is het", [HIT], [], nothing)["names"] == signals("vraag", [], [], nothing)["names"] == 0.0


def test_a_name_also_counts_by_what_else_it_is_called_and_a_short_word_for_less() -> None:
    def kcl(words: str) -> list[str]:
        return ["kaliumchloride"] if words == "steralpot" else []

    assert signals("steralpot", [HIT], [], kcl)["names"] == 1.0
    assert signals("potassium", [HIT], [], nothing)["names"] == 1.0  # a drug that the table knows
    assert signals("uur", [HIT], [], nothing)["names"] == 0.5


@pytest.mark.parametrize(("cosine", "answerable"), [(0.9, True), (0.1, False)])
def test_the_chance_decides_against_the_threshold(cosine: float, answerable: bool) -> None:
    found = Retrieval((HIT,), 0.5, True)
    told = decided("metoclopramide", found, [replace(HIT, dense_score=cosine)], Flat(), Calibration(not_found=FITTED), {}, nothing)
    assert told.answerable is answerable
    assert told.signals["cosine"] == cosine
    assert [s.text for s in told.sentences] == ["Geef kaliumchloride traag. ", "Meet na een uur opnieuw.\n"]


def test_a_threshold_of_the_settings_replaces_the_calibrated_one() -> None:
    found = Retrieval((HIT,), 0.9, True)
    assert not decided("vraag", found, [HIT], Flat(), Calibration(not_found=FITTED), {}, nothing, threshold=0.9999).answerable
    assert decided(
        "vraag", replace(found, confidence=0.0), [HIT], Flat(), Calibration(not_found=FITTED), {}, nothing, threshold=0.0
    ).answerable


def test_without_a_calibration_nothing_is_refused_and_what_the_rules_refuse_stays_refused() -> None:
    assert decided("vraag", Retrieval((HIT,), 0.01, True), [HIT], Flat(), Calibration(), {}, nothing).answerable
    assert not decided("vraag", Retrieval((HIT,), 0.99, False), [HIT], Flat(), Calibration(not_found=FITTED), {}, nothing).answerable
    assert not decided("vraag", Retrieval((), 0.0, False), [], Flat(), Calibration(not_found=FITTED), {}, nothing).answerable
