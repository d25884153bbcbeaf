"""Sampling with per-position noise, and the walk through a tree."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from services.generator.speculation import tree
from services.generator.speculation.acceptance import EXACT
from services.generator.speculation.sampling import choose, gumbel, log_probabilities, nucleus
from services.generator.speculation.verify import verify
from services.generator.types import DraftTree, NodeOrigin, SamplingParams

pytestmark = pytest.mark.quick

CPU = torch.device("cpu")
COPY = NodeOrigin("copy", 0)


def fork() -> DraftTree:
    builder = tree.TreeBuilder(0)
    builder.add_chain(0, [1, 2, 3], [0.9, 0.8, 0.7], [COPY] * 3)
    builder.add_chain(0, [4, 5], [0.5, 0.4], [COPY] * 2)
    return builder.build()


@pytest.mark.parametrize(
    ("chosen", "path", "tokens"),
    [
        ([1, 2, 3, 9, 0, 0], (0, 1, 2, 3), (1, 2, 3, 9)),  # all of a branch, and the bonus token after it
        ([1, 9, 3, 9, 0, 0], (0, 1), (1, 9)),
        ([4, 0, 0, 0, 5, 7], (0, 4, 5), (4, 5, 7)),
        ([9, 2, 3, 9, 0, 0], (0,), (9,)),
    ],
)
def test_the_walk_follows_the_targets_tokens(chosen: list[int], path: tuple[int, ...], tokens: tuple[int, ...]) -> None:
    accepted = EXACT.accept(fork(), chosen, torch.empty(0))
    assert (accepted.path, accepted.token_ids) == (path, tokens)


def test_sampled_frequencies_are_the_softmax() -> None:
    logits = torch.tensor([2.0, 1.0, 0.0, -1.0, -4.0])
    draws = 40_000
    sampling = SamplingParams(temperature=0.7, seed=3)
    tokens = choose(logits.expand(draws, -1), sampling, list(range(draws)))
    frequencies = tokens.bincount(minlength=5) / draws
    expected = (logits / 0.7).softmax(-1)
    assert (frequencies - expected).abs().max() < 4 * math.sqrt(0.25 / draws)


def test_noise_of_two_positions_two_seeds_and_two_tokens_is_independent() -> None:
    one = gumbel(1, [0, 1], 50_000, CPU)
    other = gumbel(2, [0, 1], 50_000, CPU)
    rows = torch.stack([one[0], one[1], other[0], other[1], one[0].roll(1)])
    correlations = torch.corrcoef(rows) - torch.eye(5)
    assert correlations.abs().max() < 0.03
    assert abs(float(one.mean()) - 0.5772) < 0.02  # the mean and variance of a standard Gumbel
    assert abs(float(one.var()) - math.pi**2 / 6) < 0.05


def test_a_tokens_noise_depends_on_seed_and_position_alone() -> None:
    assert torch.equal(gumbel(5, [7], 100, CPU)[0], gumbel(5, [3, 7, 9], 100, CPU)[1])


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=300), st.floats(0.05, 0.99))
@settings(deadline=None)
def test_the_nucleus_is_the_smallest_set_of_that_probability(values: list[float], top_p: float) -> None:
    logits = torch.tensor([values])
    probabilities = logits.softmax(-1)[0]
    kept = nucleus(logits, top_p)[0] > -math.inf
    assert float(probabilities[kept].sum()) >= top_p - 1e-5
    least = probabilities[kept].min()
    assert float(probabilities[kept & (probabilities > least)].sum()) <= top_p + 1e-5
    assert not kept[probabilities < least].any()


def test_rows_of_a_batch_are_verified_by_their_own_sampling() -> None:
    torch.manual_seed(0)
    trees, logits = [fork(), tree.root_only(3), fork()], torch.randn(3, 6, 20)
    samplings = [
        SamplingParams(),
        SamplingParams(temperature=1.0, seed=4),
        SamplingParams(temperature=0.5, top_p=0.5, seed=9),
    ]
    together = verify(trees, logits, samplings, [10, 20, 30])
    for row in range(3):
        assert together[row] == verify([trees[row]], logits[row : row + 1], [samplings[row]], [10 * (row + 1)])[0]


def test_log_probabilities_are_the_models_own() -> None:
    logits = torch.randn(1, 6, 20)
    masked = torch.full_like(logits, -math.inf)
    masked[..., 1] = 0.0
    accepted = verify([fork()], masked, [SamplingParams(logprobs=3)], [5], raw=logits)[0]
    assert accepted.token_ids == (1, 1)
    expected = logits[0].log_softmax(-1)
    assert accepted.logprobs == pytest.approx([float(expected[0, 1]), float(expected[1, 1])])
    assert [token for token, _ in accepted.alternatives[0]] == logits[0, 0].topk(3).indices.tolist()


def test_log_probabilities_sum_to_one() -> None:
    _, alternatives = log_probabilities(torch.randn(2, 8), torch.tensor([0, 1]), 8)
    for row in alternatives:
        assert sum(math.exp(value) for _, value in row) == pytest.approx(1.0, abs=1e-5)
