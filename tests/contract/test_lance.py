"""What only LanceDB must do: index at its own times, and analyse anew when the analysis changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rag_api import terms
from rag_api.stores import lance, lance_index
from rag_api.stores.lance import LanceStore
from rag_api.stores.lance_query import Moved
from tests.contract.conftest import DIM
from tests.contract.test_stores import EVERYONE, chunk, found, put, unit, vectors


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LanceStore]:
    opened = LanceStore(tmp_path, "test", DIM)
    yield opened
    opened.close()


def indexes(store: LanceStore) -> dict[str, str]:
    return {column: index.name for index in store._table.list_indices() for column in index.columns}


def test_an_index_of_an_older_analysis_is_analysed_anew(store: LanceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, chunk("a", 1, "heparine"), chunk("b", 1, "insuline"), at=[unit(1), unit(0, 1)])
    assert found(store, "nieuw", alpha=0.0)[:1] != ["b"]
    monkeypatch.setattr(terms, "VERSION", terms.VERSION + 1)
    analysed = terms.document_terms
    monkeypatch.setattr(
        "rag_api.stores.rows.document_terms", lambda text, language: [*analysed(text, language), "nieuw"] * ("insu" in text)
    )
    other = LanceStore(tmp_path, "test", DIM)
    hits = other.search("nieuw", unit(1), 5, EVERYONE, 0.0)
    assert [h.chunk.document_id for h in hits if h.bm25_score] == ["b"]
    assert hits[0].dense_score == pytest.approx(0.0, abs=1e-6)  # its vector is as it was
    assert other.count() == 2
    other.close()
    monkeypatch.setattr(LanceStore, "_analyse_anew", lambda _: pytest.fail("it was analysed already"))
    LanceStore(tmp_path, "test", DIM).close()


def test_a_row_that_was_moved_is_looked_for_anew(store: LanceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, chunk("a", 1, "heparine"))
    asked = []

    def moved_once(*given: object) -> list:
        asked.append(given)
        if len(asked) == 1:
            raise Moved("rows were moved")
        return search(*given)  # type: ignore[arg-type]

    search = lance.search
    monkeypatch.setattr(lance, "search", moved_once)
    assert found(store, "heparine") == ["a"]
    assert len(asked) == 2


def test_compaction_during_a_search_loses_nothing(store: LanceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the lists and the rows, the rows get other numbers."""
    for n in range(12):
        put(store, chunk(f"d{n}", 1, f"heparine {n}"), at=[vectors(1, n)[0]])
    store.delete_documents(["d0", "d3"])
    expected = found(store, "heparine", limit=20)
    fuse, times = lance.search.__globals__["fuse"], []

    def compact(*given: object) -> object:
        if not times:
            store._table.optimize()
        times.append(1)
        return fuse(*given)

    monkeypatch.setitem(lance.search.__globals__, "fuse", compact)
    assert found(store, "heparine", limit=20) == expected


def test_the_vector_index_grows_with_the_chunks_and_finds_what_a_scan_finds(store: LanceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lance_index, "VECTORS_FROM", 400)
    monkeypatch.setattr(lance_index, "PARTITION", 100)
    texts, drawn = [f"tekst {n} heparine" for n in range(2000)], vectors(2000, 3)
    for document in range(2):
        store.replace_document(f"d{document}", [chunk(f"d{document}", n, texts[n]) for n in range(200)], drawn[200 * document :][:200])
    lance_index.bring_up_to_date(store._table)
    assert indexes(store)["vector"] == "vector_4"
    store.replace_document("d2", [chunk("d2", n, texts[n]) for n in range(1600)], drawn[400:])
    lance_index.bring_up_to_date(store._table)
    assert indexes(store)["vector"] == "vector_20"
    lance_index.bring_up_to_date(store._table)
    assert [name for name in indexes(store).values() if name.startswith("vector")] == ["vector_20"]
    for seed in range(5):
        vector = vectors(1, 100 + seed)[0]
        hits = store.search("x", vector, 10, EVERYONE, 1.0)
        assert [h.dense_score for h in hits] == pytest.approx(sorted(drawn @ vector, reverse=True)[:10], abs=1e-4)


def test_a_document_that_two_processes_add_at_once_is_not_doubled(
    store: LanceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both saw no chunk of it."""
    other = LanceStore(tmp_path, "test", DIM)
    put(other, chunk("a", 1, "heparine"))
    count, first = store._table.count_rows, [0]
    monkeypatch.setattr(store._table, "count_rows", lambda where=None: first.pop() if first else count(where))
    store.replace_document("a", [chunk("a", 1, "heparine")], np.stack([unit(1)]))
    monkeypatch.undo()
    assert store.count() == other.count() == 1
    other.close()


def test_a_great_index_does_not_look_up_what_every_chunk_holds(store: LanceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lance_index, "FREQUENT_FROM", 20)
    put(store, *[chunk(f"d{n}", 1, f"zuurstof woord{n}x") for n in range(20)], chunk("rare", 1, "zuurstof heparine"))
    other = LanceStore(tmp_path, "test", DIM)
    before = other.search("zuurstof heparine", unit(1), 30, EVERYONE, 0.5)
    assert len([h for h in before if h.bm25_score]) == 21
    store.tidy()
    after = other.search("zuurstof heparine", unit(1), 30, EVERYONE, 0.5)
    assert [h.chunk.document_id for h in after if h.bm25_score] == ["rare"]
    assert max(h.bm25_score for h in after) == pytest.approx(max(h.bm25_score for h in before), rel=0.1)
    assert len([h for h in other.search("zuurstof", unit(1), 30, EVERYONE, 0.5) if h.bm25_score]) == 21  # nothing else was asked
    store.delete_documents([f"d{n}" for n in range(20)])
    store.tidy()
    assert [h.bm25_score > 0 for h in other.search("zuurstof", unit(1), 30, EVERYONE, 0.5)] == [True]
    other.close()
