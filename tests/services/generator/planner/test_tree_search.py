"""READER's search for the size and shape of a tree: what is accepted least goes first, and the
fastest size stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.generator.bench.common.prompts import PromptJob
from services.generator.bench.common.recorded import BadRecords
from services.generator.bench.decoding.setting import read_tree
from services.generator.bench.decoding.shape import measure, ranks
from services.generator.bench.engines.ours import Bench
from services.generator.planner.costs import Costs
from services.generator.planner.tree_search import best_of, golden_section, largest, search, speed, width_of
from services.generator.speculation.eagle_tree import FIXED_TREE, TreeShape
from services.generator.types import DraftTree
from tests.services.generator.engine.test_eagle_engine import random_head
from tests.services.generator.engines import tiny_codec, tiny_target

RATES = {(0,): 0.7, (1,): 0.1, (0, 0): 0.5, (0, 1): 0.1, (0, 0, 0): 0.3, (1, 0): 0.02}


def test_the_largest_tree_is_a_tree() -> None:
    paths = largest(6, 5)
    assert TreeShape(top_k=6, fixed=paths).fixed == paths  # parents before children
    assert len(paths) == 48
    assert width_of(paths) == 8


def test_a_parent_stays_before_its_children_where_they_are_accepted_as_often() -> None:
    assert best_of({(0,): 0.5, (0, 0): 0.5, (1,): 0.1}, 1) == ((0,),)
    assert best_of(RATES, 3) == ((0,), (0, 0), (0, 0, 0))


@given(st.integers(0, 60), st.integers(0, 60))
def test_golden_section_finds_the_top_of_a_hill(top: int, length: int) -> None:
    assert golden_section(lambda at: -abs(at - top), 0, length) == min(top, length)


def test_dear_nodes_make_a_small_tree_and_free_ones_a_large_one() -> None:
    assert search(RATES, lambda nodes: 1.0, 0.0) == best_of(RATES, len(RATES))
    assert search(RATES, lambda nodes: float(nodes), 0.0) == ()
    some = search(RATES, lambda nodes: 1 + 0.15 * nodes, 0.0)
    assert 0 < len(some) < len(RATES)
    assert speed(RATES, some, lambda nodes: 1 + 0.15 * nodes, 0.0) == max(
        speed(RATES, best_of(RATES, n), lambda nodes: 1 + 0.15 * nodes, 0.0) for n in range(len(RATES) + 1)
    )
    assert max(map(len, search(RATES, lambda nodes: 1.0, 0.5)), default=0) < 3  # deep drafts take long


def test_ranks_are_those_of_the_scores_among_siblings() -> None:
    tree = DraftTree((1, 5, 6, 7), (-1, 0, 0, 2), (1.0, 0.2, 0.7, 0.6), ((),) * 4)
    assert ranks(tree, (0, 2, 3)) == [(0,), (0, 0)]
    assert ranks(tree, (0, 1)) == [(1,)]
    assert ranks(tree, (0,)) == []


def test_rates_are_counted_on_prompts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("services.generator.drafters.eagle.open_head", lambda *_: random_head(3, "llama", 0))
    costs = Costs((1, 2), (1,), ((1.0, 1.001),))
    bench = Bench(tiny_target(), tiny_codec(), costs, tmp_path, "demo", 8, 256)
    rates, best = measure(bench, [PromptJob("a", "Wash your hands?"), PromptJob("b", "De dosis?")], context=64)
    assert all(0 <= rates[path] <= rates[path[:-1]] for path in rates if len(path) > 1)
    assert set(best) <= set(rates)


def test_a_tree_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    file.write_text(json.dumps({"fixed": FIXED_TREE}))
    assert read_tree(file) == TreeShape(top_k=4, fixed=FIXED_TREE)
    file.write_text(json.dumps({"fixed": [[0, 0]]}))
    with pytest.raises(BadRecords, match=r"tree\.json: not a tree"):
        read_tree(file)
