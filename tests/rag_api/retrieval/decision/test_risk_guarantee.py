"""Guaranteed risk: its bound is the exact one, what it promises holds on questions that it never
saw, and `bedside quality calibrate` keeps it."""

from __future__ import annotations

import math
import random
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import pytest

from rag_api.errors import ConfigurationError
from rag_api.retrieval.decision.calibration import RISKS, Calibration, calibration, write
from rag_api.retrieval.decision.risk_guarantee import GuaranteedRisk, Verdict, binomial, guaranteed

pytestmark = pytest.mark.quick


def drawn(draw: random.Random, count: int) -> list[Verdict]:
    """Questions of which the confidence tells something: right with a probability that is its
    square root."""
    told = [draw.random() for _ in range(count)]
    return [Verdict(one, draw.random() < one**0.5, draw.random() < 0.8) for one in told]


def risk_of(verdicts: list[Verdict], threshold: float) -> float:
    answered = [one for one in verdicts if one.confidence >= threshold]
    return sum(not one.right for one in answered) / len(answered)


@pytest.mark.parametrize(("wrong", "answered"), [(0, 1), (0, 59), (3, 100), (40, 41), (120, 2_000)])
def test_probabilities_are_those_of_the_exact_binomial(wrong: int, answered: int) -> None:
    ways = sum(math.comb(answered, k) * 19 ** (answered - k) for k in range(wrong + 1))  # of 20 to that power
    assert binomial(wrong, answered, 1 / 20) == pytest.approx(float(Fraction(ways, 20**answered)), rel=1e-9)


@pytest.mark.longer
def test_a_promise_fails_on_the_whole_of_questions_in_at_most_one_of_twenty_sets() -> None:
    draw = random.Random(7)
    whole, broken, made = drawn(draw, 40_000), 0, 0
    for _ in range(200):
        found = guaranteed(drawn(draw, 300), RISKS)
        chosen = [one for one in found.guarantees if one.risk == 0.2]
        made += bool(chosen)
        broken += bool(chosen) and risk_of(whole, chosen[0].threshold) > 0.2
    assert made > 100, "a promise that is hardly ever made says nothing"
    assert broken <= 16, "5% of 200 and two deviations more"


def test_confidence_that_tells_nothing_proves_no_share_below_the_whole_sets() -> None:
    for seed in range(20):
        draw = random.Random(seed)
        verdicts = [Verdict(draw.random(), n % 3 != 0) for n in range(300)]
        assert [one.risk for one in guaranteed(verdicts, RISKS).guarantees if one.risk < 1 / 3] == []


def test_what_a_guard_refuses_is_answered_at_no_threshold() -> None:
    verdicts = [Verdict(-1.0, False, False)] * 100 + [Verdict(0.9, True)] * 100
    found = guaranteed(verdicts, RISKS)
    assert {one.answered for one in found.guarantees} == {100}
    assert found.by_risk["careful"] == 0.9


def test_a_share_that_is_not_proven_is_named_with_what_to_do() -> None:
    found = guaranteed([Verdict(0.9, True)] * 40, RISKS)
    assert found.guarantees[0].risk == 0.1
    assert found.at(0.12) == 0.9
    with pytest.raises(ConfigurationError, match=r"not proven on 40 reviewed questions: the least proven is 0.1"):
        found.at(0.05)
    with pytest.raises(ConfigurationError, match="none is proven"):
        GuaranteedRisk(3, 0).at(0.05)


def test_nothing_asked_proves_nothing() -> None:
    assert guaranteed([], RISKS).guarantees == ()


def test_it_is_kept_beside_what_else_was_measured(tmp_path: Path) -> None:
    found = guaranteed(drawn(random.Random(2), 200), RISKS)
    write(tmp_path / "calibration.json", "e", Calibration(pointing={"adapter:m:reader:1": found}))
    kept = calibration("e", tmp_path).pointing["adapter:m:reader:1"]
    assert asdict(kept) == asdict(found)
