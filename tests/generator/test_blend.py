"""Trees blended from all earlier occurrences are what the formula says, whatever the text."""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.generator.drafters import StepState
from services.generator.drafters.automaton import SuffixAutomaton
from services.generator.drafters.blend import BlendDrafter, BlendOptions
from services.generator.native import kernels
from services.generator.native.blend import blend
from services.generator.native.text import ORDERS, NativeText
from services.generator.types import Accepted, DraftTree, Prompt, SamplingParams, Sequence

pytestmark = pytest.mark.skipif(kernels() is None, reason="no C compiler on this machine")

tokens = st.lists(st.integers(0, 5), min_size=1, max_size=40)
OPTIONS = BlendOptions(scan=1000)


def chances_after(prompt: list[int], said: list[int], path: list[int], copied: int) -> dict[int, tuple[float, int]]:
    """By token: how likely it comes after the path, and the place it would be copied from. Written for the eye, not for speed."""
    text, tail = prompt + said, (prompt + said + path)[-ORDERS:]
    orders: dict[int, int] = {}
    for end in range(len(text) - 1):
        agree = 0
        while agree < len(tail) and agree <= end and text[end - agree] == tail[-1 - agree]:
            agree += 1
        if agree:
            orders[end] = agree
    weight = {end: OPTIONS.near_weight if copied >= 0 and copied <= end < copied + 16 else 1.0 for end in orders}
    counts = {token: prompt.count(token) + OPTIONS.said * said.count(token) for token in set(text)}
    near = copied >= 0 and copied + 1 < len(prompt)
    chances = {token: n / sum(counts.values()) * (1 - OPTIONS.near_share * near) for token, n in counts.items()}
    for step in range(1, 16 if near else 0):
        if copied + step < len(prompt):
            chances[prompt[copied + step]] += OPTIONS.near_share / (step + 1) / sum(1 / (n + 1) for n in range(1, 16))
    for order in range(1, ORDERS + 1):
        seen = [end for end, own in orders.items() if own >= order]
        total, strength = sum(weight[end] for end in seen), OPTIONS.strength[order - 1]
        if seen:
            chances = {token: chance * strength / (total + strength) for token, chance in chances.items()}
            for end in seen:
                chances[text[end + 1]] += weight[end] / (total + strength)
    places = {
        token: max(((own, end + 1) for end, own in orders.items() if text[end + 1] == token), default=(0, -1))[1] for token in chances
    }
    return {token: (min(chance, 0.999), places[token]) for token, chance in chances.items()}


def likeliest(prompt: list[int], said: list[int], nodes: int, copied: int) -> list[float]:
    """The chances of the best paths, by going through them best first."""
    order, best = count(), list[float]()
    waiting: list[tuple[float, int, list[int], int]] = [(-1.0, next(order), [], copied)]
    while waiting and len(best) < nodes:
        chance, _, path, at = heapq.heappop(waiting)
        best.append(-chance)
        if len(path) < OPTIONS.depth:
            for token, (own, place) in chances_after(prompt, said, path, at).items():
                moved = place if 0 <= place < len(prompt) else at
                heapq.heappush(waiting, (chance * own, next(order), [*path, token], moved))
    return best


@settings(max_examples=150, deadline=None)
@given(tokens, st.lists(st.integers(0, 5), max_size=20), st.integers(1, 40), st.integers(-1, 10))
def test_the_tree_holds_the_likeliest_paths(prompt: list[int], said: list[int], nodes: int, copied: int) -> None:
    copied = min(copied, len(prompt) - 1)
    text = NativeText(4, 2)
    text.extend(np.array(prompt))
    text.end_prompt()
    text.extend(np.array(said), OPTIONS.said)
    found = blend(
        [text], np.array([OPTIONS.strength], np.float32), nodes, depth=OPTIONS.depth, scan=OPTIONS.scan, pointer=copied,
        near_weight=OPTIONS.near_weight, near_share=OPTIONS.near_share, least=0.0,
    )  # fmt: skip
    assert sorted(found.chances, reverse=True) == pytest.approx(likeliest(prompt, said, nodes, copied)[1:], rel=1e-4)
    assert all(parent <= place for place, parent in enumerate(found.parents))
    assert len(set(zip(found.parents, found.tokens, strict=True))) == len(found.tokens)
    for token, origin in zip(found.tokens, found.origins, strict=True):
        assert origin < 0 or (prompt + said)[origin] == token  # what is said to be copied stands there


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 3000), max_size=60), st.lists(st.integers(1, 20), min_size=1))
def test_a_text_that_grows_is_the_text_that_was_read_at_once(whole: list[int], portions: list[int]) -> None:
    grown, at_once = NativeText(1, 1), NativeText(100, 3001)
    at_once.extend(np.array(whole, np.int32))
    start = 0
    for portion in [*portions, len(whole)]:
        grown.extend(np.array(whole[start : start + portion], np.int32))
        start += portion
    assert grown.tokens.tolist() == at_once.tokens.tolist() == whole
    if whole:
        asked = {"depth": 8, "scan": 64, "pointer": -1, "near_weight": 1.0, "near_share": 0.0, "least": 0.0}
        strength = np.array([OPTIONS.strength], np.float32)
        assert blend([grown], strength, 30, **asked) == blend([at_once], strength, 30, **asked)  # type: ignore[arg-type]


def test_a_weaker_source_speaks_where_the_context_is_silent() -> None:
    earlier, context = NativeText(), NativeText()
    earlier.extend(np.array([7, 8, 9, 7, 8, 9]))
    context.extend(np.array([1, 2, 3, 7]))
    strength = np.array([OPTIONS.strength, OPTIONS.strength], np.float32)
    found = blend([earlier, context], strength, 4, depth=2, scan=9, pointer=-1, near_weight=1.0, near_share=0.0, least=0.0)
    assert (found.tokens[0], found.sources[0]) == (8, 0)


def test_more_nodes_than_there_is_room_for_are_refused() -> None:
    text = NativeText()
    text.extend(np.array([1]))
    with pytest.raises(ValueError, match="more nodes"):
        blend([text], np.array([OPTIONS.strength], np.float32), 9999, depth=2, scan=9, pointer=-1, near_weight=1.0, near_share=0, least=0)


def test_a_copy_goes_on_behind_a_word_that_was_changed() -> None:
    """After 1 2 3 of the prompt and a 99 that is nowhere, what stood next in the prompt comes before what is as common."""
    prompt = (1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15)
    sequence = Sequence("a", Prompt(prompt, (None,) * len(prompt), (), "test"), SamplingParams(max_tokens=20))
    drafter = BlendDrafter()
    drafter.start(sequence)
    context = np.array([*prompt, 1, 2], np.int32)
    tree = drafter.propose([StepState(sequence, context)], 12)[0]
    node = tree.token_ids.index(3)
    drafter.feedback(StepState(sequence, context), tree, Accepted((0, node), (3, 99)))
    tree = drafter.propose([StepState(sequence, np.append(context, np.array([3, 99], np.int32)))], 30)[0]
    first = [token for token, parent in zip(tree.token_ids, tree.parents, strict=True) if parent == 0]
    scores = dict(zip(first, [s for s, p in zip(tree.scores, tree.parents, strict=True) if p == 0], strict=True))
    assert scores[4] > scores[11]
    drafter.finish(sequence)


@settings(max_examples=300, deadline=None)
@given(tokens)
def test_the_automaton_finds_the_longest_end_that_was_there_before(text: list[int]) -> None:
    automaton = SuffixAutomaton()
    automaton.extend(text)
    length, end = automaton.match()
    known = [(n, e) for n in range(1, len(text)) for e in range(n - 1, len(text) - 1) if text[e + 1 - n : e + 1] == text[-n:]]
    longest = max((n for n, _ in known), default=0)
    assert (length, end) == (longest, min((e for n, e in known if n == longest), default=-1))


def test_siblings_differ_and_scores_fall_along_every_path() -> None:
    drafter = BlendDrafter()
    prompt = tuple(np.random.default_rng(0).integers(0, 50, 3000).tolist())
    sequence = Sequence("a", Prompt(prompt, (None,) * len(prompt), (), "test"), SamplingParams(max_tokens=5))
    drafter.start(sequence)
    tree: DraftTree = drafter.propose([StepState(sequence, np.array(prompt, np.int32))], 60)[0]
    assert len(tree) == 60
    assert all(tree.scores[parent] >= tree.scores[node] for node, parent in enumerate(tree.parents) if parent >= 0)
    assert len(set(zip(tree.parents, tree.token_ids, strict=True))) == 60
