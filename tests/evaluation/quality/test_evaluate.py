"""The figures that decide what is believed: judged sets in and out, ranks, decisions, thresholds,
verbatim answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.quality import RetrievalOutcome, evaluate, report
from evaluation.quality.answers import accuracy, holds
from evaluation.quality.metrics import hit_at, mrr, precision_recall
from evaluation.quality.refusals import DecidedQuestion, at_refused, curve, refusals, share
from rag_api.domain import Chunk, Hit
from rag_api.errors import InvalidInput
from rag_api.evaluate.judged import HANDBOOK, Judged, read_judged, write_judged
from rag_api.retrieval.find import Retrieval

pytestmark = pytest.mark.quick


def hit(document: str, rank: int, page: int = 1) -> Hit:
    return Hit(Chunk(f"{document}{rank}", document, document, (page,), 0, 4, "tekst"), 1 / rank, 0.9, 1.0, rank)


def question(id: str, document: str = "a.pdf", page: int | None = 1, **fields: Any) -> Judged:
    return Judged(id, f"vraag {id}", document=document, page=page, **{"language": "nl", "span": "tekst", **fields})


class TestJudged:
    def test_the_handbooks_set_is_read_whole(self) -> None:
        questions = read_judged(HANDBOOK)
        assert len(questions) >= 120
        assert sum(not q.answerable for q in questions) >= 25
        assert {q.language for q in questions} == {"nl", "en"}
        halves = [read_judged(HANDBOOK, split) for split in ("validate", "test")]
        assert sorted(q.id for half in halves for q in half) == sorted(q.id for q in questions)
        assert all(q.span and q.page for q in questions if q.answerable)

    def test_what_is_written_is_read_again(self, tmp_path: Path) -> None:
        questions = [question("1", span='regel\n"twee", met komma'), Judged("2", "geen antwoord?", split="validate")]
        write_judged(tmp_path / "set.csv", questions)
        assert read_judged(tmp_path / "set.csv") == questions

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("id,question\n1,x\n", "no column document"),
            ("id,question,document\n1,,a\n", "line 2"),
            ("id,question,document\n1,x,a\n1,y,b\n", "unique"),
            ("id,question,document,page\n1,x,a,two\n", "page is 'two'"),
            ("id,question,document,split\n1,x,a,train\n", "split is 'train'"),
        ],
    )
    def test_a_bad_set_is_refused_with_the_place(self, tmp_path: Path, text: str, words: str) -> None:
        (tmp_path / "set.csv").write_text(text)
        with pytest.raises(InvalidInput, match=words):
            read_judged(tmp_path / "set.csv")

    def test_a_missing_set_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInput, match=r"set\.csv"):
            read_judged(tmp_path / "set.csv")


class TestFigures:
    def test_hits_and_reciprocal_ranks(self) -> None:
        ranks = [1, 3, None, 4]
        assert hit_at(ranks, 1) == 0.25
        assert hit_at(ranks, 3) == 0.5
        assert mrr(ranks) == pytest.approx((1 + 1 / 3 + 0 + 1 / 4) / 4)

    def test_precision_and_recall(self) -> None:
        assert precision_recall([True, True, False, False], [True, False, True, False]) == (0.5, 0.5)
        assert precision_recall([False, False], [True, False]) == (1.0, 0.0)
        assert precision_recall([False], [False]) == (1.0, 1.0)


class TestEvaluate:
    def outcomes(self) -> list[RetrievalOutcome]:
        questions = [
            question("1"),
            question("2", page=2),
            question("3", language="en"),
            Judged("4", "niets?", "nl"),
            Judged("5", "nothing?", "en"),
        ]
        found = {
            "1": Retrieval((hit("A", 1), hit("B", 2)), 0.9, True),
            "2": Retrieval((hit("B", 1), hit("A", 2, page=1), hit("A", 3, page=2)), 0.8, True),
            "3": Retrieval((hit("B", 1),), 0.3, False),
            "4": Retrieval((hit("A", 1),), 0.2, False),
            "5": Retrieval((hit("A", 1),), 0.7, True),
        }
        return evaluate(questions, lambda q: found[q.id], {"A": "a.pdf", "B": "b.pdf"})

    def test_the_rank_is_that_of_the_first_hit_of_the_judged_document_and_page(self) -> None:
        ranks = [(o.rank, o.page_rank) for o in self.outcomes()]
        assert ranks == [(1, 1), (2, 3), (None, None), (None, None), (None, None)]

    def test_the_report_counts_answerable_questions_for_ranks_and_all_for_decisions(self) -> None:
        figures = report(self.outcomes())
        assert figures["n"] == 5
        assert figures["hit@1"] == pytest.approx(1 / 3)
        assert figures["hit@3"] == pytest.approx(2 / 3)
        assert figures["mrr"] == pytest.approx((1 + 1 / 2) / 3)
        assert figures["page"]["mrr"] == pytest.approx((1 + 1 / 3) / 3)
        assert {name: figures["not_found"][name] for name in ("precision", "recall", "n")} == {
            "precision": 0.5,
            "recall": 0.5,
            "n": 2,
        }
        assert figures["not_found"]["refused"] == pytest.approx(1 / 3)
        assert figures["not_found"]["refused_with_source"] == 0.0  # its document was not at hand
        assert figures["languages"]["nl"]["mrr"] == pytest.approx(0.75)
        low, high = figures["intervals"]["mrr"]
        assert low <= figures["mrr"] <= high

    def test_an_empty_set_gives_noughts(self) -> None:
        assert report([])["n"] == 0


class TestRefusals:
    ASKED = tuple(DecidedQuestion(c / 10, c not in (1, 2, 4), c < 2) for c in range(10))  # confidences 0.0 ... 0.9

    def test_what_was_decided_is_counted(self) -> None:
        found = refusals(self.ASKED)
        assert (found["precision"], found["recall"], found["n"]) == (0.5, pytest.approx(1 / 3), 3)
        assert found["refused"] == pytest.approx(1 / 7)

    def test_risk_is_the_share_of_the_answered_that_is_wrong_or_has_no_answer(self) -> None:
        asked = tuple(replace(a, right=a.answerable and a.confidence > 0.55) for a in self.ASKED)
        points = curve(asked)
        assert [p["coverage"] for p in points] == [step / 10 for step in range(1, 11)]
        assert [p["risk"] for p in points[:4]] == [0.0, 0.0, 0.0, 0.0]  # confidences .9 to .6
        assert points[4]["risk"] == pytest.approx(1 / 5)  # .5 can be answered, and would be wrong
        assert points[9]["risk"] == pytest.approx(6 / 10)
        assert points[9]["refused"] == 0.0
        assert points[0]["interval"] == [0.0, 0.0]

    def test_near_misses_and_what_is_off_topic_are_told_apart_at_each_budget(self) -> None:
        asked = [DecidedQuestion(c / 20, answerable=True, refused=False, right=True) for c in range(20)]
        asked += [
            DecidedQuestion(0.02, answerable=False, refused=True),
            DecidedQuestion(0.9, answerable=False, refused=False, near_miss=True),
        ]
        at = at_refused(asked, 0.05)
        assert at["threshold"] == 0.05
        assert (at["off_topic"]["share"], at["near_misses"]["share"], at["answered_right"]["share"]) == (1.0, 0.0, 0.95)
        assert at["risk"]["share"] == pytest.approx(1 / 20)

    def test_what_the_rules_refuse_is_never_answered(self) -> None:
        asked = [
            DecidedQuestion(-1.0, answerable=True, refused=True),
            DecidedQuestion(0.5, answerable=True, refused=False, right=True),
        ]
        assert [(p["coverage"], p["risk"]) for p in curve(asked)] == [(0.5, 0.0)]

    def test_questions_of_one_unit_are_drawn_together(self) -> None:
        apart = [DecidedQuestion(0.5, answerable=True, refused=bool(n % 2)) for n in range(40)]
        joined = [replace(a, unit=str(n % 2)) for n, a in enumerate(apart)]
        (a, b), (c, d) = (share(some, lambda one: one.refused)["interval"] for some in (apart, joined))
        assert (c, d) == (0.0, 1.0)
        assert 0.3 < a < b < 0.7

    def test_no_question_is_no_curve(self) -> None:
        assert curve([]) == []
        assert refusals([])["n"] == 0


class TestAnswers:
    @pytest.mark.parametrize(
        ("answer", "span"),
        [
            ("Eerst dit. Geef 15 mg/kg. Dan dat.", "Geef 15 mg/kg."),
            ("Geef 15 mg/kg", "Geef 15 mg/kg, hoogstens 1 g."),
            ("1 tot 2 mg/l\tinterval met\n12 uur verlengen", "1 tot 2 mg/l interval met 12 uur verlengen"),
            ("een laagmoleculair-gewichtheparine", "een laagmoleculairgewichtheparine"),
            ("GEEF «10» ml", "geef «10» ml"),
            ("10–20 kg", "10-20 kg"),
        ],
    )
    def test_an_answer_that_contains_or_lies_in_the_span_holds_it(self, answer: str, span: str) -> None:
        assert holds(answer, span)

    @pytest.mark.parametrize(
        ("answer", "span"), [("", "Geef 1 g"), ("Geef 2 g", "Geef 1 g"), (" . ", "Geef 1 g"), ("Geef 1 g", "")]
    )
    def test_other_words_do_not(self, answer: str, span: str) -> None:
        assert not holds(answer, span)

    def test_accuracy_is_told_by_language_and_half(self) -> None:
        questions = [
            question("1", span="een", split="test"),
            question("2", span="two", language="en", split="validate"),
            Judged("3", "?"),
        ]
        figures = accuracy({"1": "dat is een ding", "3": "iets"}, questions)
        assert (figures["accuracy"], figures["n"]) == (0.5, 2)
        assert figures["languages"] == {"en": {"accuracy": 0.0, "n": 1}, "nl": {"accuracy": 1.0, "n": 1}}
        assert figures["splits"]["test"] == {"accuracy": 1.0, "n": 1}
