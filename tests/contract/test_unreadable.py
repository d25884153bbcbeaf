"""Documents that somebody may not read: they change nothing of what they find: not a score,
whatever it holds, however much there is of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rag_api.domain import Chunk, Filters, Hit
from rag_api.stores import Store, regroup
from rag_api.stores.memory import MemoryStore
from tests.contract.conftest import DIM, Reopen
from tests.contract.test_stores import chunk, unit, vectors

WORDS = [f"woord{n}" for n in range(50)]
NURSE = Filters(groups=("everyone",))


def drawn(count: int, name: str, groups: tuple[str, ...], seed: int, longest: int = 60) -> list[Chunk]:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(5, longest))) for _ in range(count)]
    return [chunk(f"{name}{n // 5}", n, text, groups=groups) for n, text in enumerate(texts)]


def put(store: Store, chunks: Sequence[Chunk], seed: int) -> None:
    rows = vectors(len(chunks), seed)
    for document in dict.fromkeys(one.document_id for one in chunks):
        own = [n for n, one in enumerate(chunks) if one.document_id == document]
        store.replace_document(document, [chunks[n] for n in own], rows[own])


def asked(store: Store, filters: Filters = NURSE, others: Sequence[str] = ()) -> list[list[Hit]]:
    rng = np.random.default_rng(9)
    questions = [(" ".join(rng.choice(WORDS, 4)), vectors(1, seed)[0]) for seed in range(20)]
    return [store.search(text, vector, 8, filters, 0.65, others=others) for text, vector in questions]


@pytest.fixture
def public() -> list[Chunk]:
    return drawn(120, "open", ("everyone",), 1)


def test_the_same_is_found_with_the_same_scores_as_where_it_never_was(store: Store, public: list[Chunk]) -> None:
    put(store, public, 2)
    before = asked(store)
    put(store, drawn(300, "icu", ("icu",), 3, longest=200), 4)
    put(store, [chunk("often", n, "woord1 woord2 woord3 " * 40, groups=("surgery", "icu")) for n in range(200)], 5)
    assert asked(store) == before
    assert asked(store, Filters(groups=("everyone", "icu"))) != before
    store.tidy()
    assert asked(store) == before


def test_all_stores_score_alike_for_members_of_any_group(store: Store, public: list[Chunk]) -> None:
    reference = MemoryStore(DIM)
    for one in (reference, store):
        put(one, public, 2)
        put(one, drawn(150, "icu", ("icu",), 3, longest=200), 4)
        put(one, drawn(40, "both", ("icu", "surgery"), 6), 7)
    for groups in (("everyone",), ("everyone", "icu"), ("surgery",), ("nobody",)):
        for own, expected in zip(
            asked(store, Filters(groups=groups)), asked(reference, Filters(groups=groups)), strict=True
        ):
            assert [hit.chunk.id for hit in own] == [hit.chunk.id for hit in expected]
            assert [hit.score for hit in own] == pytest.approx([hit.score for hit in expected], abs=1e-6)
            assert [hit.bm25_score for hit in own] == pytest.approx([hit.bm25_score for hit in expected], rel=1e-6)


def test_what_is_taken_away_replaced_or_deleted_no_longer_counts(store: Store, public: list[Chunk]) -> None:
    put(store, public, 2)
    before = asked(store)
    more = drawn(60, "more", ("everyone",), 3, longest=150)
    put(store, more, 4)
    assert asked(store) != before
    for document in ("more0", "more1", "more2"):
        regroup(store, document, ("icu",))
    store.delete_documents([f"more{n}" for n in range(3, 9)])
    for n in range(9, 12):
        store.replace_document(f"more{n}", [chunk(f"more{n}", 1, "heel anders", groups=("icu",))], np.stack([unit(1)]))
    assert asked(store) == before


def test_a_document_that_only_the_list_hides_does_not_count_either(store: Store, public: list[Chunk]) -> None:
    put(store, public, 2)
    before = asked(store)
    more = drawn(60, "more", ("everyone",), 3, longest=150)
    put(store, more, 4)
    hidden = tuple(dict.fromkeys(one.document_id for one in more))
    assert asked(store, Filters(groups=("everyone",), hidden_document_ids=hidden)) == before


def test_a_filter_on_what_is_asked_for_changes_no_score(store: Store, public: list[Chunk]) -> None:
    """Only who asks does: what is rare is rare among all that they may read."""
    put(store, public, 2)
    scores = {hit.chunk.id: hit.bm25_score for hits in asked(store)[:1] for hit in hits}
    some = Filters(groups=("everyone",), document_ids=tuple({hit.chunk.document_id for hit in asked(store)[0]}))
    assert all(scores[hit.chunk.id] == hit.bm25_score for hit in asked(store, some)[0] if hit.chunk.id in scores)


def test_what_another_process_writes_counts_at_once(store: Store, open_another: Reopen, public: list[Chunk]) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("memory is one process's own")
    other = open_another()
    put(store, public, 2)
    assert asked(other) == asked(store)
    assert asked(open_another()) == asked(store)
