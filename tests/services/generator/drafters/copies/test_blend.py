"""Trees blended from all earlier occurrences are what the formula says, whatever the text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.generator.drafters import StepState
from services.generator.drafters.copies.automaton import SuffixAutomaton
from services.generator.drafters.copies.blend import BlendDrafter, BlendEvidence, BlendOptions
from services.generator.native import kernels
from services.generator.native.blend import Blended, Blender
from services.generator.native.text import (
    CAPITAL,
    CLOSING,
    FORMS,
    INSIDE,
    NEAR,
    ORDERS,
    OTHER,
    SMALL,
    NativeText,
    TokenKinds,
)
from services.generator.types import DraftTree, Prompt, SamplingParams, Sequence

pytestmark = pytest.mark.skipif(kernels() is None, reason="no C compiler on this machine")

tokens = st.lists(st.integers(0, 5), min_size=1, max_size=40)
EVIDENCE = BlendEvidence()
FORMED = replace(
    EVIDENCE, form=tuple(tuple(1.0 + (5 * last + 3 * after) % 7 / 4 for after in range(FORMS)) for last in range(FORMS))
)
ALONE = TokenKinds(np.arange(6, dtype=np.int32), np.full(6, OTHER, np.int8))
ALIKE = TokenKinds(
    np.array([0, 1, 2, 1, 4, 2], np.int32), np.array([SMALL, SMALL, CLOSING, CAPITAL, INSIDE, CLOSING], np.int8)
)


def seen_of(count: int) -> int:
    return next((row for row, most in enumerate((1, 2, 3, 7, 15)) if count <= most), 5)


def zone_of(place: int, pointer: int, prompt: int) -> int:
    if place >= prompt or pointer < 0:
        return 8 if place >= prompt else 7
    ahead = place - pointer
    if ahead < 0:
        return 5 if ahead > -16 else 6
    return next((zone for zone, most in enumerate((0, 4, 15, 60)) if ahead <= most), 4)


def said_of(
    text: list[int], prompt: int, path: list[int], pointer: int, kinds: TokenKinds
) -> tuple[dict[int, float], dict[int, int]]:
    """By token: its chance after the path, and the place it would be copied from. Written for the
    eye, not for speed."""
    kind = kinds.kind.tolist()
    tail, orders = (text + path)[-ORDERS:], dict[int, int]()
    for end in range(len(text) - 1):
        agree = 0
        while agree < len(tail) and agree <= end and kind[text[end - agree]] == kind[tail[-1 - agree]]:
            agree += 1
        if agree:
            orders[end] = agree
    longest = max(orders.values(), default=0)
    columns = [seen_of(len(orders)), seen_of(sum(order > 1 for order in orders.values()))]
    says, place_of, best = dict[int, float](), dict[int, int](), dict[int, float]()

    def say(token: int, value: float, place: int) -> None:
        says[token] = says.get(token, 0.0) + value
        if value > best.get(token, 0.0):
            best[token], place_of[token] = value, place

    for end, order in orders.items():
        more = order > 1
        value = (
            EVIDENCE.order[order - 1]
            * EVIDENCE.zone[more][zone_of(end, pointer, prompt)]
            * EVIDENCE.seen[more][columns[more]]
        )
        value *= EVIDENCE.shorter[more] if order < longest else 1.0
        token = text[end + 1]
        value *= FORMED.form[kinds.form[tail[-1]]][kinds.form[token]]
        written = [said for said in text[prompt:] if kind[said] == kind[token] and kinds.form[token] == CLOSING]
        spelt = written[-1] if written else token
        say(token, value if spelt == token else 0.2 * value, end + 1)
        if spelt != token:
            say(spelt, 0.8 * value, end + 1)
    for ahead in range(NEAR if pointer >= 0 else 0):
        if pointer + 1 + ahead < prompt:
            say(text[pointer + 1 + ahead], EVIDENCE.near / (1 + ahead) * EVIDENCE.near_of[longest], pointer + 1 + ahead)
    counts = {token: text[:prompt].count(token) + 5 * text[prompt:].count(token) for token in text}
    total = sum(says.values()) + EVIDENCE.common[longest]
    common = {token: EVIDENCE.common[longest] * count / sum(counts.values()) for token, count in counts.items()}
    return {token: (says.get(token, 0.0) + alone) / total for token, alone in common.items()}, place_of


def blender_of(
    prompt: list[int], rate: float = 0.0, depth: int = 1, kinds: TokenKinds | None = None, fade: float = 1.0
) -> Blender:
    text = NativeText(4, 2, kinds)
    text.extend(np.array(prompt))
    text.end_prompt()
    return Blender(
        [text],
        [1.0],
        FORMED.struct() if kinds else EVIDENCE.struct(),
        depth=depth,
        scan=1000,
        weight=5,
        rate=rate,
        fade=fade,
    )


@settings(max_examples=150, deadline=None)
@given(tokens, st.lists(st.integers(0, 5), max_size=20), st.sampled_from([ALONE, ALIKE]))
def test_a_token_has_the_chance_that_the_formula_gives_it(
    prompt: list[int], said: list[int], kinds: TokenKinds
) -> None:
    blender, text = blender_of(prompt, kinds=kinds), prompt + said
    found = blender.draft(np.array(text, np.int32), 500)
    chances, _ = said_of(text, len(prompt), [], blender.copied, kinds)
    drafted = dict(zip(found.tokens[1:], found.chances[1:], strict=True))
    assert drafted == pytest.approx({token: min(chance, 0.999) for token, chance in chances.items()}, rel=1e-4)
    for token, origin in zip(found.tokens[1:], found.origins[1:], strict=True):
        assert origin < 0 or text[origin] == token  # what is said to be copied stands there


def test_words_agree_whatever_their_case_and_a_copy_is_exact_or_none() -> None:
    """ " The" (3) is looked for where "the" (1) stands; a full stop is written as the answer wrote
    it (5), not as its source has it (2)."""
    prompt = [4, 1, 0, 2, 4]
    alone, alike = (
        blender_of(prompt, depth=3, kinds=kinds).draft(np.array([*prompt, 5, 3]), 30) for kinds in (ALONE, ALIKE)
    )
    assert alone.tokens[1] != 0
    assert alike.tokens[1:3] == (0, 5)
    assert alike.origins[1:3] == (2, -1)  # 5 stands nowhere in the prompt
    beside = next(n for n in range(2, len(alike.tokens)) if alike.parents[n] == 1 and alike.tokens[n] == 2)
    assert alike.origins[beside] == 3


@settings(max_examples=50, deadline=None)
@given(tokens, st.lists(st.integers(0, 5), max_size=20))
def test_kinds_of_one_token_each_and_no_forms_change_nothing(prompt: list[int], said: list[int]) -> None:
    found = [blender_of(prompt, 0.05, 8, kinds).draft(np.array(prompt + said), 40) for kinds in (None, ALONE)]
    assert found[0] == found[1]


def test_what_fades_along_a_path_is_the_choice_of_nodes_not_their_chances() -> None:
    prompt = np.random.default_rng(0).integers(0, 12, 400).tolist()
    whole, faded = (paths_of(blender_of(prompt, depth=9, fade=fade).draft(np.array(prompt), 40)) for fade in (1.0, 0.7))
    assert max(map(len, faded)) < max(map(len, whole))
    both = whole.keys() & faded.keys()
    assert len(both) > 10
    assert {path: faded[path] for path in both} == pytest.approx({path: whole[path] for path in both}, rel=0.02)


def paths_of(found: Blended) -> dict[tuple[int, ...], float]:
    paths: list[tuple[int, ...]] = [()]
    for token, parent in zip(found.tokens[1:], found.parents[1:], strict=True):
        paths.append((*paths[parent], token))
    return dict(zip(paths[1:], found.chances[1:], strict=True))


def test_that_words_are_gone_on_with_is_learnt() -> None:
    """After a capital (3) the word goes on (4) as it does in the prompt; after the same word
    without one (1) it never does."""
    prompt = [3, 4, 1, 0, 2] * 3
    evidence = EVIDENCE.struct()
    text = NativeText(100, kinds=ALIKE)
    text.extend(np.array(prompt))
    text.end_prompt()
    blender = Blender([text], [1.0], evidence, depth=1, scan=64, rate=0.045)
    blender.draft(np.array([*prompt, *[3, 4, 0, 1, 1] * 5]), 9)
    assert evidence.form[CAPITAL][INSIDE] > 1 > evidence.form[SMALL][INSIDE]
    assert evidence.form[OTHER][OTHER] == 1


@settings(max_examples=100, deadline=None)
@given(tokens, st.lists(st.integers(0, 5), max_size=20), st.integers(2, 30))
def test_the_tree_holds_the_likeliest_of_a_larger_one(prompt: list[int], said: list[int], nodes: int) -> None:
    """Parents and the likeliest branch first, siblings differ; a few places fewer are looked at
    where a chance is small."""
    text = np.array(prompt + said, np.int32)
    small, large = (blender_of(prompt, depth=3).draft(text, most) for most in (nodes, 500))
    assert sorted(small.chances, reverse=True) == pytest.approx(sorted(large.chances, reverse=True)[:nodes], rel=0.2)
    for found in (small, large):
        assert all(parent < place for place, parent in enumerate(found.parents))
        assert len(set(zip(found.parents, found.tokens, strict=True))) == len(found.tokens)


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
        drafts = [
            Blender([text], [1.0], EVIDENCE.struct(), depth=8, scan=64).draft(np.array(whole), 30)
            for text in (grown, at_once)
        ]
        assert drafts[0] == drafts[1]


def test_a_weaker_source_speaks_where_the_context_is_silent() -> None:
    earlier, context = NativeText(), NativeText()
    earlier.extend(np.array([7, 8, 9, 7, 8, 9]))
    context.extend(np.array([1, 2, 3, 7]))
    found = Blender([earlier, context], [1.0, 1.0], EVIDENCE.struct(), depth=2, scan=9).draft(np.array([1, 2, 3, 7]), 4)
    assert (found.tokens[1], found.sources[1]) == (8, 0)


def test_what_there_is_no_room_for_is_refused() -> None:
    blender = blender_of([1])
    with pytest.raises(ValueError, match="more nodes"):
        blender.draft(np.array([1]), 9999)
    with pytest.raises(ValueError, match="below 0"):
        blender.draft(np.array([1, -1]), 9)


def test_a_copy_goes_on_behind_a_word_that_was_changed() -> None:
    """After 1 2 3 of the prompt and a 99 that is nowhere, what stood next in the prompt comes
    before what is as common."""
    prompt = [1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15]
    blender = blender_of(prompt)
    found = blender.draft(np.array([*prompt, 1, 2, 3, 99]), 30)
    chances = dict(zip(found.tokens[1:], found.chances[1:], strict=True))
    assert prompt[blender.copied] == 3
    assert chances[4] > chances[11]


@pytest.mark.parametrize("copies", [True, False])
def test_a_drafter_learns_of_an_answer_how_much_its_model_copies(copies: bool) -> None:
    prompt = list(range(100, 160))
    said = (
        prompt[10:40]
        if copies
        else [token for pair in zip(prompt[10:25], prompt[45:60], strict=True) for token in pair]
    )
    chances = []
    for rate in (0.0, 0.05):
        blender = blender_of(prompt, rate)
        found = blender.draft(np.array([*prompt, *said, prompt[42], prompt[43]]), 2)
        assert found.tokens == (prompt[43], prompt[44])
        chances.append(found.chances[1])
    assert (chances[1] > chances[0]) is copies


def test_trees_are_as_large_on_average_as_they_are_asked_to_be() -> None:
    random = np.random.default_rng(0)
    prompt = random.integers(0, 300, 2000).tolist()
    drafter, sequence = (
        BlendDrafter(BlendOptions(mean=8.0)),
        Sequence("a", Prompt(tuple(prompt), (None,) * 2000, (), "t"), SamplingParams()),
    )
    drafter.start(sequence)
    context, sizes = np.array(prompt, np.int32), []
    for at in random.integers(0, 1900, 900).tolist():
        context = np.append(context, np.array(prompt[at : at + 2], np.int32))
        sizes.append(len(drafter.propose([StepState(sequence, context)], 60)[0]) - 1)
    assert len(set(sizes)) > 3
    assert sum(sizes[450:]) / 450 == pytest.approx(8.0, rel=0.15)


@settings(max_examples=300, deadline=None)
@given(tokens)
def test_the_automaton_finds_the_longest_end_that_was_there_before(text: list[int]) -> None:
    automaton = SuffixAutomaton()
    automaton.extend(text)
    length, end = automaton.match()
    known = [
        (n, e) for n in range(1, len(text)) for e in range(n - 1, len(text) - 1) if text[e + 1 - n : e + 1] == text[-n:]
    ]
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
