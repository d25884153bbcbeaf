"""Copy drafts: the longest earlier matches of the last tokens, and what followed them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generator.drafters import StepState
from services.generator.drafters.copies.copy import CopyConfig, CopyDrafter
from services.generator.speculation.matches import Match, MatchIndex
from services.generator.types import DraftTree, NodeOrigin, Prompt, SamplingParams, Sequence

pytestmark = pytest.mark.quick


def brute_force(tokens: list[int], tail: list[int], count: int, max_match: int) -> list[Match]:
    """Every position compared with the tail, token by token."""
    found = []
    for end in range(len(tokens) - 1):
        length = 0
        while length < min(max_match, len(tail), end + 1) and tokens[end - length] == tail[-1 - length]:
            length += 1
        if length:
            found.append(Match(end, length))
    return sorted(found, key=lambda m: (-m.length, -m.end))[:count]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(1, 3), st.integers(1, 6))
def test_matches_are_those_of_a_full_scan(tokens: list[int], count: int, max_match: int) -> None:
    index = MatchIndex(max_match)
    for start in range(0, len(tokens), 7):  # grows in pieces, as it does while decoding
        index.extend(tokens[start : start + 7])
        known = tokens[: start + 7]
        assert index.longest(known[-max_match:], count) == brute_force(known, known[-max_match:], count, max_match)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.lists(st.integers(0, 3), max_size=10))
def test_a_prompt_alone_can_be_searched_with_the_outputs_tail(prompt: list[int], output: list[int]) -> None:
    index = MatchIndex()
    index.extend(prompt)
    tail = (prompt + output)[-10:]
    found = index.longest(tail, 2)
    expected = brute_force(prompt, tail, 2, 10)
    assert found == expected


def draft(prompt: list[int], output: list[int], config: CopyConfig | None = None, nodes: int = 64) -> DraftTree:
    drafter = CopyDrafter(config)
    sequence = Sequence("s", Prompt(tuple(prompt), (None,) * len(prompt), (), "test"), SamplingParams(), list(output))
    drafter.start(sequence)
    return drafter.propose([StepState(sequence, np.array(prompt + output, dtype=np.int32))], nodes)[0]


def test_the_two_longest_matches_are_copied_and_share_nodes() -> None:
    found = draft([1, 2, 3, 4, 5, 9, 2, 3, 4, 6, 9, 9, 1, 2, 3], [])
    # 1 2 3 -> 4 5 ..., and 2 3 -> 4 6 ...: one node for 4 with both places, then a fork
    assert found.token_ids[:2] == (3, 4)
    assert set(found.origins[1]) == {NodeOrigin("copy", 3), NodeOrigin("copy", 8)}
    assert sorted(token for token, parent in zip(found.token_ids, found.parents, strict=True) if parent == 1) == [5, 6]


def test_a_copy_is_at_most_ten_tokens() -> None:
    assert len(draft([7, *range(20, 50), 7], [])) == 11


def test_copied_positions_are_those_of_the_copied_tokens() -> None:
    context = [5, 6, 7, 8, 9, 5, 6]
    found = draft(context, [])
    for token, origins in zip(found.token_ids[1:], found.origins[1:], strict=True):
        assert all(context[origin.position] == token for origin in origins)


def test_nothing_is_proposed_when_nothing_matches() -> None:
    assert len(draft([1, 2, 3, 4], [])) == 1


def test_output_is_copied_from_unless_the_prompt_is_to_be_copied_from_only() -> None:
    prompt, output = [1, 2, 3], [8, 9, 4, 8]
    assert draft(prompt, output).token_ids == (8, 9, 4, 8)
    assert draft(prompt, output, CopyConfig(prompt_only=True)).token_ids == (8,)


def test_a_longer_match_is_trusted_more() -> None:
    long = draft([1, 2, 3, 4, 5, 9, 1, 2, 3, 4], [])
    short = draft([7, 7, 7, 4, 5, 9, 1, 2, 3, 4], [])
    assert long.scores[1] > short.scores[1]


def test_a_finished_sequence_is_forgotten() -> None:
    drafter = CopyDrafter()
    sequence = Sequence("s", Prompt((1,), (None,), (), "test"), SamplingParams())
    drafter.start(sequence)
    drafter.finish(sequence)
    assert not drafter.indexes
