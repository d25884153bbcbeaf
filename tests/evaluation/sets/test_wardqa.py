"""WardQA holds what its README promises, and its measurement counts what it says."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from importlib.resources import files

import pytest

from evaluation.sets.wardqa import SPLITS, NearMiss, WardPassage, WardQuestion, read_wardqa
from evaluation.sets.wardqa.measure import WardOutcome, auc, report, share
from rag_api.errors import InvalidInput

pytestmark = pytest.mark.quick
TEST_PARTS = "be98a0a953a213d8"  # figures can be compared only while these stay


@pytest.fixture(scope="module")
def passages() -> list[WardPassage]:
    return read_wardqa()


def test_an_answer_is_a_part_of_its_line_and_lies_in_its_block(passages: list[WardPassage]) -> None:
    for passage in passages:
        for asked in passage.questions:
            assert asked.answer in passage.lines[asked.line - 1], (passage.id, asked.question)
            assert 1 <= asked.block[0] <= asked.line <= asked.block[1] <= len(passage.lines), (
                passage.id,
                asked.question,
            )


def test_a_document_and_a_test_trade_lie_in_one_split(passages: list[WardPassage]) -> None:
    splits: dict[str, set[str]] = defaultdict(set)
    for passage in passages:
        splits[passage.document].add(passage.split)
    assert all(len(own) == 1 for own in splits.values())
    assert {passage.split for passage in passages} == set(SPLITS)


def test_the_set_is_of_the_size_that_it_says(passages: list[WardPassage]) -> None:
    answerable = sum(len(passage.questions) for passage in passages)
    near = sum(len(asked.near_misses) for passage in passages for asked in passage.questions)
    assert len(passages) >= 1_200
    assert answerable + near >= 10_000
    assert 0.45 < near / (answerable + near) < 0.55
    languages = Counter(passage.language for passage in passages)
    assert min(languages.values()) > 0.25 * len(passages)


def test_the_readme_says_how_many_there_are(passages: list[WardPassage]) -> None:
    said = " ".join(files("evaluation.sets.wardqa").joinpath("README.md").read_text("utf-8").split())
    answerable = sum(len(passage.questions) for passage in passages)
    near = sum(len(asked.near_misses) for passage in passages for asked in passage.questions)
    documents = len({passage.document for passage in passages})
    assert (
        f"{answerable:,} answerable questions and {near:,} near misses are left, on {len(passages):,} passages of "
        f"{documents:,} documents" in said
    )


def test_the_test_parts_are_what_they_were(passages: list[WardPassage]) -> None:
    kept = [passage for passage in passages if passage.split in ("test", "test_trades")]
    assert hashlib.sha256(repr(kept).encode()).hexdigest().startswith(TEST_PARTS)


def test_a_passage_and_a_question_stand_in_it_once(passages: list[WardPassage]) -> None:
    assert len({passage.id for passage in passages}) == len(passages)
    for passage in passages:
        texts = [
            text
            for asked in passage.questions
            for text in (asked.question, *(miss.question for miss in asked.near_misses))
        ]
        assert len(set(texts)) == len(texts), passage.id


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no split tests"):
        read_wardqa(["tests"])


def outcome(
    confidence: float, answered: bool, right: bool = False, near_miss: str = "", document: str = "d"
) -> WardOutcome:
    question = WardQuestion("?", "a", 1, (1, 1), (NearMiss("?", "drug"),))
    passage = WardPassage("p", document, "test", "nl", "lab", "table", "t", "h", ("a",), (question,))
    return WardOutcome(passage, "?", near_miss, confidence, answered, found=True, right=right)


def test_a_share_counts_questions_and_its_interval_documents() -> None:
    figures = share([outcome(0.9, True, document="a"), outcome(0.2, False, document="b")], lambda o: o.answered)
    assert (figures["share"], figures["n"], figures["interval"]) == (0.5, 2, [0.0, 1.0])
    assert share([], lambda o: o.answered)["share"] is None


def test_a_right_answer_counts_only_when_it_is_given() -> None:
    given, refused, wrong = outcome(0.9, True, right=True), outcome(0.1, False, right=True), outcome(0.8, True)
    figures = report(
        [given, refused, wrong, outcome(0.7, True, near_miss="drug"), outcome(0.05, False, near_miss="group")]
    )
    assert figures["answerable"]["answered_right"]["share"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["answerable"]["refused"]["share"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["near_misses"]["refused"]["share"] == 0.5
    assert figures["near_misses"]["by_change"]["drug"]["share"] == 0.0


def test_the_area_under_the_curve_is_the_chance_to_tell_them_apart() -> None:
    assert auc([0.9, 0.8], [0.1]) == 1.0
    assert auc([0.5], [0.5]) == 0.5
    assert auc([0.2], [0.1, 0.3]) == 0.5
    assert auc([], [0.1]) is None
