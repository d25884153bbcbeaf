"""Sentences are weighed anew in one way, however their case was kept."""

from __future__ import annotations

import pytest

from evaluation.calibration import calibrate
from evaluation.calibration.cases import DecisionCase, QuestionKind, Sentence
from evaluation.calibration.decision import DecisionRow
from evaluation.calibration.weighing import span_weight_of, weigh
from evaluation.decision import measure
from rag_api.domain import Candidate, Judged
from rag_api.retrieval.decision.calibration import SentenceWeights
from rag_api.retrieval.reader_model.reader_scores import UNREAD, ReaderScores
from rag_api.retrieval.sentence_scorer import Scored

pytestmark = pytest.mark.quick

FEATURES = ((0.5, 0.2, 0.0, 0.4), (0.4, 0.6, 1.0, 0.0), (0.1, 0.1, -1.0, 0.1))
SIGNALS = {"cosine": 0.8, "lead": 99.0}
WEIGHTS = SentenceWeights(4.0, 1.0, 0.5, 2.0)


@pytest.mark.parametrize("read", [None, ReaderScores(2.0, (-4.0, 1.0, 3.0))])
@pytest.mark.parametrize("span_weight", [0.0, 0.2, 4.0])
def test_a_case_just_asked_and_the_same_kept_in_a_file_are_weighed_alike(
    read: ReaderScores | None, span_weight: float
) -> None:
    scored = tuple(Scored(Candidate("d", n, n + 1, (), str(n), 0.0, 1), own, "T") for n, own in enumerate(FEATURES))
    judged = Judged("1", "vraag", "nl", document="a.pdf", page=1, span="1", split="validate")
    asked = calibrate.weighed(
        calibrate.CalibrationCase(judged, False, True, SIGNALS, scored, read=read), WEIGHTS, span_weight
    )
    sentences = tuple(Sentence(0, n, n + 1, own, n == 1) for n, own in enumerate(FEATURES))
    kept = measure.Case(
        DecisionCase("own", "fit", QuestionKind.ANSWERABLE, "vraag", "nl", "1", True, SIGNALS, ("k",), sentences), read
    )
    assert calibrate.rows_of([asked], "own") == [measure.row_of(kept, WEIGHTS, span_weight)]


def test_the_lead_is_over_the_mean_of_the_best_and_the_reader_is_heard_of_the_new_first() -> None:
    found = weigh(FEATURES, ReaderScores(2.0, (-4.0, 1.0, 3.0)), SentenceWeights(1.0, 0.0, 0.0, 0.0), 1.0)
    assert found.order == (2, 1, 0)
    assert found.scores == pytest.approx((3.1, 1.4, -3.5))
    assert found.signals == pytest.approx({"lead": 3.1 - 1.0 / 3, "reader": 2.0, "reader_span": 3.0})


def test_without_a_sentence_nothing_leads_and_nothing_was_read() -> None:
    found = weigh((), None, WEIGHTS, 1.0)
    assert (found.order, found.signals) == ((), {"lead": 0.0, "reader": UNREAD, "reader_span": UNREAD})


def test_a_readers_weight_serves_the_collections_alike_and_is_the_least_of_equals() -> None:
    def rows(weight: float) -> list[DecisionRow]:
        large = [
            DecisionRow("large", "fit", QuestionKind.ANSWERABLE, str(n), True, n < (5 if weight < 1 else 4), {})
            for n in range(10)
        ]
        return [*large, DecisionRow("small", "fit", QuestionKind.ANSWERABLE, "s", True, weight >= 1, {})]

    assert span_weight_of(rows) == 1.0  # one question less of ten, and all of the small one's
    assert span_weight_of(lambda weight: []) == 0.0
