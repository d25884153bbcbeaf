"""A copy that is not the same is said to differ; nothing of somebody else's is lost by copying into
it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rag_api.domain import Hit
from rag_api.errors import Conflict, InvalidInput
from rag_api.stores.copying import copy_index, same_ranking, sampled_questions, verify_copy
from rag_api.stores.memory import MemoryStore
from tests.contract.conftest import DIM
from tests.contract.test_stores import chunk, put

pytestmark = pytest.mark.quick


def nothing(_: int) -> None:
    """Told how far it is."""


@pytest.fixture
def source() -> MemoryStore:
    store = MemoryStore(DIM)
    for number in range(3):
        put(store, *(chunk(f"d{number}", part, f"heparine procedure {number} deel {part}") for part in range(4)))
    return store


def lose_a_chunk(copy: MemoryStore) -> None:
    chunks, own = copy.chunks_of("d1")
    copy.replace_document("d1", chunks[1:], own[1:])


def lose_a_document(copy: MemoryStore) -> None:
    copy.delete_documents(["d2"])


def change_a_word(copy: MemoryStore) -> None:
    chunks, own = copy.chunks_of("d1")
    copy.replace_document("d1", [replace(chunks[0], text="anders"), *chunks[1:]], own)


def open_to_others(copy: MemoryStore) -> None:
    chunks, own = copy.chunks_of("d1")
    copy.replace_document("d1", [replace(one, groups=("others",)) for one in chunks], own)


def turn_a_vector(copy: MemoryStore) -> None:
    chunks, own = copy.chunks_of("d1")
    copy.replace_document("d1", chunks, np.roll(own, 1, axis=1))


@pytest.mark.parametrize("harm", [lose_a_chunk, lose_a_document, change_a_word, open_to_others, turn_a_vector])
def test_a_copy_that_differs_is_found_and_mended_by_copying_again(
    source: MemoryStore, harm: Callable[[MemoryStore], None]
) -> None:
    copy = MemoryStore(DIM)
    copy_index(source, copy, nothing)
    assert verify_copy(source, copy, nothing) == 12
    harm(copy)
    with pytest.raises(Conflict, match="the copy differs"):
        verify_copy(source, copy, nothing)
    assert copy_index(source, copy, nothing).before == 2
    assert verify_copy(source, copy, nothing) == 12


def test_documents_that_only_the_target_has_stay_until_they_are_to_be_replaced(source: MemoryStore) -> None:
    target = MemoryStore(DIM)
    put(target, chunk("theirs", 0, "van een ander"))
    with pytest.raises(InvalidInput, match="1 documents that this one does not"):
        copy_index(source, target, nothing)
    assert target.document_ids() == {"theirs"}
    assert copy_index(source, target, nothing, replace=True).removed == 1
    assert target.document_ids() == source.document_ids()


def test_another_embedder_makes_the_vectors_anew_and_the_chunks_stay(source: MemoryStore) -> None:
    target = MemoryStore(3)
    copy_index(
        source, target, nothing, embed=lambda chunks: np.eye(3, dtype=np.float32)[[len(one.text) % 3 for one in chunks]]
    )
    assert verify_copy(source, target, nothing, same_vectors=False) == 12
    assert target.chunks_of("d0")[1].shape == (4, 3)


def test_questions_are_made_of_what_the_index_holds(source: MemoryStore) -> None:
    asked = list(sampled_questions(source, 2))
    assert len(asked) == 2
    assert source.search(asked[0].text, asked[0].vector, 1, asked[0].filters, 0.5)[0].chunk.document_id == "d0"


class TestRankings:
    def hits(self, *scored: tuple[str, float]) -> list[Hit]:
        return [
            Hit(replace(chunk("d", n, name), id=name), score, score, score, n + 1) for n, (name, score) in enumerate(scored)
        ]  # fmt: skip

    def test_are_the_same_up_to_ties(self) -> None:
        assert same_ranking(
            self.hits(("a", 0.9), ("b", 0.801), ("c", 0.8)), self.hits(("a", 0.9), ("c", 0.8), ("b", 0.799))
        )
        assert same_ranking([], [])

    def test_differ_when_something_else_is_found_or_is_much_better(self) -> None:
        before = self.hits(("a", 0.9), ("b", 0.8))
        for after in (
            self.hits(("b", 0.9), ("a", 0.8)),
            self.hits(("a", 0.9)),
            self.hits(("x", 0.9), ("b", 0.8)),
            self.hits(("a", 0.7), ("b", 0.8)),
        ):
            assert not same_ranking(before, after)


def test_a_vector_is_the_same_to_what_making_it_of_unit_length_once_more_changes(source: MemoryStore) -> None:
    copy = MemoryStore(DIM)
    for identity in source.document_ids():
        chunks, own = source.chunks_of(identity)
        copy.replace_document(identity, chunks, (own * np.float32(1 + 1e-6)).astype(np.float32))
    assert verify_copy(source, copy, nothing) == 12
