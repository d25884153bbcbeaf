"""Datastores hold what they were built from, sorted so that the longest match is found, and are
refused where they do not belong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.generator.datastore.__main__ import main
from services.generator.datastore.build import build, sorted_places
from services.generator.datastore.store import BETWEEN, BadDatastore, read, write
from services.generator.drafters import StepState
from services.generator.drafters.copies.blend import BlendEvidence
from services.generator.drafters.datastores.rest import RestDrafter, RestOptions
from services.generator.native import kernels
from services.generator.native.blend import Blender
from services.generator.native.frequent import frequent
from services.generator.native.text import NativeText, SortedText
from tests.services.generator.engines import request
from tests.services.generator.tiny import tiny_checkpoint

needs_c = pytest.mark.skipif(kernels() is None, reason="no C compiler on this machine")
texts = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=30), min_size=1, max_size=5)


@settings(max_examples=50, deadline=None)
@given(texts)
def test_places_are_sorted_by_what_ends_there_read_backwards(parts: list[list[int]]) -> None:
    store = build(parts, "t")
    ends = [store.tokens[: place + 1][::-1].tolist() for place in store.order]
    assert ends == sorted(ends)
    assert sorted(store.order.tolist()) == list(range(len(store.tokens)))
    assert store.tokens.tolist() == [token for part in parts for token in (*part, BETWEEN)]


def longest_places(tokens: list[int], tail: list[int]) -> tuple[int, list[int]]:
    """How many of the last tokens of the tail stand anywhere, and where they end. For the eye, not
    for speed."""
    for length in range(len(tail), 0, -1):
        ends = [end for end in range(length - 1, len(tokens)) if tokens[end - length + 1 : end + 1] == tail[-length:]]
        if ends:
            return length, ends
    return 0, []


@needs_c
@settings(max_examples=200, deadline=None)
@given(texts, st.lists(st.integers(0, 5), min_size=1, max_size=16), st.integers(1, 30), st.integers(1, 4))
def test_the_commonest_continuations_of_the_longest_match_are_found(
    parts: list[list[int]], tail: list[int], nodes: int, depth: int
) -> None:
    store = build(parts, "t")
    found = frequent(
        SortedText(store.tokens, store.order), np.array(tail, np.int32), nodes, shortest=1, most=8192, depth=depth
    )
    tokens = store.tokens.tolist()
    length, ends = longest_places(tokens, tail)
    paths: Counter[tuple[int, ...]] = Counter()
    for end in ends:
        for size in range(1, depth + 1):
            path = tuple(tokens[end + 1 : end + 1 + size])
            if len(path) < size or BETWEEN in path:
                break
            paths[path] += 1
    expected = sorted((count / len(ends) for count in paths.values()), reverse=True)[: nodes - 1]
    assert sorted(found.chances, reverse=True) == pytest.approx(expected)
    assert found.matched == (length if nodes > 1 else 0)
    drafted: list[tuple[int, ...]] = [()]
    for token, parent, chance in zip(found.tokens, found.parents, found.chances, strict=True):
        drafted.append((*drafted[parent], token))
        assert chance == pytest.approx(paths[drafted[-1]] / len(ends))
    assert len(set(drafted)) == len(drafted)


@needs_c
def test_rest_drafts_from_the_datastore_alone_and_not_after_a_single_token() -> None:
    drafter = RestDrafter(build([[1, 2, 3, 4], [1, 2, 3, 5], [9, 2, 7]], "t"), RestOptions())
    state = StepState(request([8, 1, 2]).sequence, np.array([8, 1, 2], np.int32))
    (tree,) = drafter.propose([state], 10)
    assert tree.token_ids[:2] == (2, 3)
    assert sorted(tree.token_ids[2:]) == [4, 5]
    assert all(origin.position == -1 for origins in tree.origins for origin in origins)
    alone = StepState(request([8, 2]).sequence, np.array([8, 2], np.int32))
    assert len(drafter.propose([alone], 10)[0]) == 1


@needs_c
@settings(max_examples=100, deadline=None)
@given(texts, st.lists(st.integers(0, 5), min_size=1, max_size=20))
def test_a_sorted_text_gives_the_blend_what_an_indexed_one_gives(parts: list[list[int]], said: list[int]) -> None:
    """Apart from which of several places stands for a token, and which of equal branches goes
    first. One text, for the index knows no border."""
    whole = [token for part in parts for token in part]
    indexed, tokens = NativeText(), np.array(whole, np.int32)
    indexed.extend(tokens)
    chances = []
    for text in (indexed, SortedText(tokens, sorted_places(tokens))):
        context = NativeText()
        context.extend(np.array(said, np.int32))
        context.end_prompt()
        blender = Blender([text, context], [0.5, 1.0], BlendEvidence().struct(), depth=2, scan=500)
        chances.append(sorted(blender.draft(np.array(said, np.int32), 200).chances))
    assert chances[0] == pytest.approx(chances[1], rel=1e-4)


def test_a_datastore_is_read_as_it_was_written_and_refused_where_it_does_not_belong(tmp_path: Path) -> None:
    store = build([[1, 2, 3]], "mine")
    write(tmp_path / "store", store)
    again = read(tmp_path / "store", "mine")
    assert again.manifest == store.manifest
    assert again.tokens.tolist() == store.tokens.tolist()
    with pytest.raises(BadDatastore, match="another vocabulary"):
        read(tmp_path / "store", "another")
    with pytest.raises(BadDatastore, match="no datastore that can be read"):
        read(tmp_path, "mine")
    np.save(tmp_path / "store" / "order.npy", np.zeros(2, np.int32))
    with pytest.raises(BadDatastore, match="do not belong together"):
        read(tmp_path / "store", "mine")
    manifest = tmp_path / "store" / "datastore.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 9}))
    with pytest.raises(BadDatastore, match="format 9"):
        read(tmp_path / "store", "mine")
    with pytest.raises(BadDatastore, match="no text"):
        build([[]], "mine")


def test_the_command_builds_one_of_texts_and_answers_and_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tiny_checkpoint(tmp_path / "model", "llama", seed=0))
    (tmp_path / "a.txt").write_text("the dose is the dose")
    (tmp_path / "b.jsonl").write_text('{"answer": "give the dose"}\n\n{"text": "the dose"}\n')
    folder = str(tmp_path / "store")
    assert main(["build", folder, str(tmp_path / "a.txt"), str(tmp_path / "b.jsonl"), "--model", model]) == 0
    assert main(["show", folder, "--model", model]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["texts"] == 3
    (tmp_path / "b.jsonl").write_text("[1]\n")
    assert main(["build", folder, str(tmp_path / "b.jsonl"), "--model", model]) == 2
    assert "b.jsonl:1" in capsys.readouterr().err
    assert main(["show", str(tmp_path), "--model", model]) == 2
