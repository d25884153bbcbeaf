"""Fitting to judged questions: weights that put right sentences first, how long answers are, when
there is none, and where it is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from evaluation.calibration.calibrate import (
    CalibrationCase,
    accuracy,
    cross_validated,
    fit_reader,
    fit_weights,
    fit_writing,
    folds,
    span_weight_of,
    weighed,
    written,
)
from evaluation.calibration.cases import QuestionKind
from evaluation.calibration.decision import DecisionRow
from rag_api.domain import Candidate, Judged
from rag_api.errors import ConfigurationError, InvalidInput
from rag_api.retrieval.decision.calibration import (
    FILE,
    READ,
    SIGNALS,
    Calibration,
    NotFoundModel,
    RiskPoint,
    SentenceWeights,
    VerbatimWeights,
    WithReader,
    calibration,
    shipped,
    write,
)
from rag_api.retrieval.reader_model.reader_scores import UNREAD, ReaderScores
from rag_api.retrieval.sentence_scorer import Scored

pytestmark = pytest.mark.quick


def scored(text: str, *features: float, at: int = 0, document: str = "d", score: float = 0.0) -> Scored:
    return Scored(
        Candidate(document, at, at + len(text), (), text, score, 1), features or (0.0, 0.0, 0.0, 0.0), "Titel"
    )


def case(
    id: str,
    sentences: Sequence[Scored],
    span: str = "juist",
    answerable: bool = True,
    left_out: bool = False,
    **signals: float,
) -> CalibrationCase:
    judged = Judged(
        id,
        "vraag",
        "nl",
        document="a.pdf" if answerable else "",
        page=1 if answerable else None,
        span=span,
        split="validate",
    )
    return CalibrationCase(
        judged,
        left_out,
        True,
        {**dict.fromkeys(SIGNALS, 0.0), "cosine": 0.5, "information": 0.1, "names": 1.0, **signals},
        tuple(sentences),
    )


def test_weights_put_the_right_sentence_first_by_the_feature_that_tells_it() -> None:
    cases = [
        case(str(n), [scored("juist", 0.1 * (n % 3), 0.5, 1.0, 0.0), scored("fout", 0.1 * (n % 2), 0.5, 0.0, 0.5)])
        for n in range(20)
    ]
    weights = fit_weights(cases, l2=0.1)
    assert weights.range > 1 > abs(weights.passage)
    assert weights.coverage < 0
    assert all(weighed(c, weights).sentences[0].candidate.text == "juist" for c in cases)


def test_without_a_right_sentence_there_is_nothing_to_fit() -> None:
    with pytest.raises(InvalidInput, match="nothing to calibrate"):
        fit_weights([case("1", [scored("fout")]), case("2", [])])


def test_new_weights_change_the_order_and_the_lead() -> None:
    asked = case("1", [scored("een", 1.0, 0.0, 0.0, 0.0), scored("twee", 0.0, 1.0, 0.0, 0.0)])
    by_cosine, by_passage = weighed(asked, SentenceWeights(4, 0, 0, 0)), weighed(asked, SentenceWeights(0, 2, 0, 0))
    assert [s.candidate.text for s in by_cosine.sentences] == ["een", "twee"]
    assert [s.candidate.text for s in by_passage.sentences] == ["twee", "een"]
    assert (by_cosine.signals["lead"], by_passage.signals["lead"]) == (2.0, 1.0)


class TestWithAReader:
    """Its log-odds tell what the features do not."""

    WRONG, RIGHT = scored("fout", 0.6, 0.5, 0.0, 0.5), scored("juist", 0.5, 0.5, 0.0, 0.5, at=50)
    OTHERS = (
        DecisionRow(
            "elsewhere",
            "fit",
            QuestionKind.NEAR_MISS,
            "x",
            True,
            False,
            {**dict.fromkeys((*SIGNALS, *READ), 0.0), "reader": -9.0},
        ),
    )

    def asked(self) -> list[CalibrationCase]:
        found = [
            replace(case(str(n), [self.WRONG, self.RIGHT]), read=ReaderScores(3.0, (-5.0, 3.0))) for n in range(20)
        ]
        return [
            *found,
            *(
                replace(case(f"u{n}", [self.WRONG], answerable=False), read=ReaderScores(-4.0, (-4.0,)))
                for n in range(10)
            ),
        ]

    def test_it_changes_the_order_and_what_the_decision_hears(self) -> None:
        by_both = weighed(self.asked()[0], SentenceWeights(1, 0, 0, 0), 0.5)
        assert [s.candidate.text for s in by_both.sentences] == ["juist", "fout"]
        assert (by_both.signals["reader"], by_both.signals["reader_span"]) == (3.0, 3.0)
        assert by_both.read == ReaderScores(3.0, (3.0, -5.0))
        assert weighed(self.asked()[0], SentenceWeights(1, 0, 0, 0)).sentences[0].candidate.text == "fout"

    def test_the_least_weight_is_taken_with_which_most_is_right(self) -> None:
        assert span_weight_of(self.asked(), SentenceWeights(1, 0, 0, 0)) == 0.1
        assert span_weight_of([case("1", [self.RIGHT])], SentenceWeights(1, 0, 0, 0)) == 0.0

    def test_the_decision_that_hears_it_refuses_what_it_does_not_believe(self) -> None:
        fitted = fit_reader(self.asked(), self.OTHERS, SentenceWeights(1, 0, 0, 0), 0.1)
        assert fitted.not_found.coefficients["reader"] > 0
        assert cross_validated(self.asked(), self.OTHERS, span_weight=0.1)["not_found_recall"] == 1.0
        assert cross_validated(self.asked(), self.OTHERS, span_weight=0.1)["first_sentence"] == 1.0

    def test_what_was_not_read_is_as_if_nothing_was_believed(self) -> None:
        assert weighed(case("1", [self.RIGHT]), SentenceWeights()).signals["reader"] == UNREAD


class TestWriting:
    SENTENCES = (
        scored("best", at=0, score=9.0),
        scored("elders", document="e", score=8.5),
        scored("best en meer", at=0, score=8.0),  # overlaps
        scored("naast", at=50, score=7.0),
    )

    def test_further_sentences_are_of_the_same_document_and_another_place(self) -> None:
        asked = case("1", self.SENTENCES)
        assert [s.candidate.text for s in written(asked, VerbatimWeights())] == ["best", "naast"]
        assert [s.candidate.text for s in written(asked, VerbatimWeights(margin=1.5))] == ["best"]
        assert [s.candidate.text for s in written(asked, VerbatimWeights(sentences=1))] == ["best"]

    def test_the_likelihood_may_choose_another(self) -> None:
        asked = replace(
            case("1", self.SENTENCES), likelihoods={("d", 50, 55): -1.0, ("d", 0, 4): -9.0, ("e", 0, 6): -9.0}
        )
        assert written(asked, VerbatimWeights(likelihood_weight=0.5))[0].candidate.text == "naast"

    def test_the_smallest_margin_that_loses_nothing_is_taken(self) -> None:
        right = scored("juist", at=50, score=7.0)
        assert fit_writing([case(str(n), [scored("best", score=9.0), right]) for n in range(4)]).margin == 2.0
        assert (
            fit_writing(
                [case(str(n), [replace(right, candidate=replace(right.candidate, score=10))]) for n in range(4)]
            ).margin
            == 0.5
        )

    def test_a_likelihood_that_gains_a_single_question_gets_no_weight(self) -> None:
        def asked(n: int, helped: bool) -> CalibrationCase:
            found = case(str(n), [scored("fout", score=9.0), scored("juist", document="e", score=8.0)])
            return replace(
                found,
                likelihoods={("d", 0, 4): -10.0, ("e", 0, 5): -1.0}
                if helped
                else {("d", 0, 4): -1.0, ("e", 0, 5): -1.0},
            )

        assert fit_writing([asked(n, helped=n == 0) for n in range(9)]).likelihood_weight == 0.0
        assert fit_writing([asked(n, helped=n < 5) for n in range(9)]).likelihood_weight > 0.0


class TestFolds:
    CASES = tuple(case(f"a{n}", [], left_out=left_out) for n in range(20) for left_out in (False, True))

    def test_a_question_and_its_left_out_self_are_in_one_fold(self) -> None:
        found: dict[str, set[int]] = {}
        for one, fold in zip(self.CASES, folds(self.CASES), strict=True):
            found.setdefault(one.judged.id, set()).add(fold)
        assert all(len(places) == 1 for places in found.values())
        assert {fold for places in found.values() for fold in places} == set(range(5))


def test_cross_validation_tells_what_new_questions_would_see() -> None:
    right, wrong = scored("juist", 0.9, 0.5, 1.0, 1.0), scored("fout", 0.1, 0.5, 0.0, 0.0, at=50)
    cases = [case(str(n), [wrong, right], cosine=0.9) for n in range(20)]
    cases += [case(str(n), [wrong], left_out=True, cosine=0.1) for n in range(20)]
    cases += [case(f"u{n}", [wrong], answerable=False, cosine=0.1) for n in range(5)]
    found = cross_validated(cases)
    assert (found["first_sentence"], found["not_found_precision"], found["not_found_recall"], found["refused"]) == (
        1.0,
        1.0,
        1.0,
        0.0,
    )
    assert accuracy(cases[:20], VerbatimWeights()) == 1.0


class TestKeeping:
    COEFFICIENTS = MappingProxyType({"intercept": 1.0, "crossed": 0.5, **dict.fromkeys(SIGNALS, 2.0)})
    TOLD = NotFoundModel(
        dict(COEFFICIENTS), 0.2, 0.1, {"careful": 0.3, "balanced": 0.2, "ready": 0.1}, (RiskPoint(0.2, 0.9, 0.4, 0.1),)
    )
    READ = WithReader(replace(TOLD, coefficients={**COEFFICIENTS, **dict.fromkeys(READ, 1.0)}), 2.0)
    VALUE = Calibration(
        0.3, SentenceWeights(1, 2, 3, 4), {"demo": {"nl": VerbatimWeights(0.1, 2.0, 3)}}, TOLD, {"one": READ}, "today"
    )

    def test_what_was_written_is_used_at_once_beside_other_embedders(self, tmp_path: Path) -> None:
        write(tmp_path / FILE, "one", self.VALUE)
        write(tmp_path / FILE, "two", replace(self.VALUE, alpha=0.4))
        assert calibration("one", tmp_path) == self.VALUE
        assert calibration("two", tmp_path).alpha == 0.4
        write(tmp_path / FILE, "one", replace(self.VALUE, alpha=0.55))
        assert calibration("one", tmp_path).alpha == 0.55
        assert calibration("one", tmp_path).writing("demo", "nl") == VerbatimWeights(0.1, 2.0, 3)
        assert calibration("one", tmp_path).writing("other", "nl") == VerbatimWeights()

    def test_what_was_measured_without_a_models_likelihoods_holds_for_every_model(self) -> None:
        measured = Calibration(verbatim={"a": {"nl": VerbatimWeights(0.1)}, "b": {"nl": VerbatimWeights(0.0, 1.0, 3)}})
        assert measured.writing("other", "nl") == VerbatimWeights(0.0, 1.0, 3)
        assert measured.writing("a", "nl") == VerbatimWeights(0.1)
        assert measured.writing("other", "en") == VerbatimWeights()

    def test_what_was_measured_for_other_signals_is_not_used(self, tmp_path: Path) -> None:
        write(
            tmp_path / FILE,
            "one",
            replace(self.VALUE, not_found=NotFoundModel({"intercept": 1.0, "retrieval": 2.0}, 0.2)),
        )
        with pytest.raises(ConfigurationError, match="other signals"):
            calibration("one", tmp_path)

    def test_a_file_of_an_earlier_version_says_what_to_do(self, tmp_path: Path) -> None:
        before = {"intercept": 1.0, "cosine": 2.0, "information": 3.0, "lead": 4.0, "names": 5.0}
        write(tmp_path / FILE, "one", replace(self.VALUE, not_found=NotFoundModel(before, 0.2)))
        with pytest.raises(ConfigurationError, match=r"earlier version.*Remove it.*`bedside quality calibrate`"):
            calibration("one", tmp_path)

    def test_a_risk_is_a_name_or_a_share_that_is_reached(self) -> None:
        curve = (RiskPoint(0.0, 1.0, 0.5, 0.0), RiskPoint(0.3, 0.8, 0.3, 0.1), RiskPoint(0.6, 0.5, 0.2, 0.4))
        told = replace(self.TOLD, curve=curve)
        assert [told.at(risk) for risk in ("careful", "balanced", "ready", 0.5, 0.31, 0.2)] == [
            0.3,
            0.2,
            0.1,
            0.0,
            0.3,
            0.6,
        ]
        with pytest.raises(ConfigurationError, match=r"BEDSIDE_RISK=0.1 is not reached: the least is 0.20, with 40%"):
            told.at(0.1)
        with pytest.raises(ConfigurationError, match="no curve"):
            replace(told, curve=()).at(0.3)
        assert replace(told, by_risk={}).at("careful") == told.threshold

    def test_an_embedder_that_nobody_measured_refuses_nothing(self, tmp_path: Path) -> None:
        assert calibration("unheard-of", tmp_path) == Calibration()
        assert Calibration().not_found is None

    def test_what_is_shipped_can_be_read_and_is_of_the_embedders_that_are(self) -> None:
        assert set(shipped()) >= {
            "multilingual-e5-small-int8+neutral",
            "multilingual-e5-small-q4+neutral",
            "all-MiniLM-L6-v2",
        }
        assert all(value.measured for value in shipped().values())

    @pytest.mark.parametrize(
        "text",
        ["", "[]", '{"one": {}}', '{"one": {"alpha": "x"}}', '{"one": {"alpha": 0.5, "weights": {"colour": 1}}}'],
    )
    def test_a_file_that_cannot_be_read_is_not_passed_over(self, tmp_path: Path, text: str) -> None:
        (tmp_path / FILE).write_text(text)
        with pytest.raises(ConfigurationError, match="calibrate"):
            calibration("one", tmp_path)

    def test_the_file_is_json_that_a_person_can_read(self, tmp_path: Path) -> None:
        write(tmp_path / FILE, "one", self.VALUE)
        assert json.loads((tmp_path / FILE).read_text())["one"]["weights"] == {
            "cosine": 1,
            "passage": 2,
            "range": 3,
            "coverage": 4,
        }
