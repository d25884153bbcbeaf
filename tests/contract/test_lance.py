"""LanceDB's own duties: index at its own times, read few rows, and bring an older version's table
up to date."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from lancedb.index import BTree
from lancedb.table import LanceTable
from numpy.typing import NDArray

from rag_api.domain import Chunk, Filters, TargetGroup
from rag_api.errors import StoreUnavailable
from rag_api.stores import lance
from rag_api.stores.lance import LanceStore
from rag_api.stores.lance import indexes as lance_index
from rag_api.stores.lance import query as lance_query
from rag_api.stores.lance import snapshots as lance_snapshots
from rag_api.stores.lance import table as lance_schema
from rag_api.stores.lance import tidying as lance_tidying
from rag_api.stores.ranking import bm25
from rag_api.stores.rows import COLUMNS, to_row
from rag_api.text import bm25_analyzer as terms
from tests.contract.conftest import DIM
from tests.contract.test_stores import EVERYONE, chunk, found, put, unit, vectors


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LanceStore]:
    opened = LanceStore(tmp_path, "test", DIM)
    yield opened
    opened.close()


def table_of(store: LanceStore) -> Any:
    """As another process would open it."""
    return lancedb.connect(store.folder).open_table(lance_tidying.TABLE)


def indexes(store: LanceStore) -> dict[str, str]:
    return {column: index.name for index in table_of(store).list_indices() for column in index.columns}


def test_an_index_of_an_older_analysis_is_analysed_anew(
    store: LanceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, chunk("a", 1, "heparine"), chunk("b", 1, "insuline"), at=[unit(1), unit(0, 1)])
    assert found(store, "nieuw", alpha=0.0)[:1] != ["b"]
    monkeypatch.setattr(terms, "VERSION", terms.VERSION + 1)
    analysed = terms.document_terms
    monkeypatch.setattr(
        "rag_api.stores.rows.document_terms",
        lambda text, language: [*analysed(text, language), "nieuw"] * ("insu" in text),
    )
    other = LanceStore(tmp_path, "test", DIM)
    hits = other.search("nieuw", unit(1), 5, EVERYONE, 0.0)
    assert [h.chunk.document_id for h in hits if h.bm25_score] == ["b"]
    assert hits[0].dense_score == pytest.approx(0.0, abs=1e-6)  # its vector is as it was
    assert other.count() == 2
    other.close()
    monkeypatch.setattr(lance_schema, "renew", lambda *_: pytest.fail("it was analysed already"))
    LanceStore(tmp_path, "test", DIM).close()


@pytest.mark.parametrize("when", ["nearest_rows", "promising_rows", "read_rows"])
def test_what_another_process_does_during_a_search_is_seen_by_the_next(
    store: LanceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Compaction gives the rows other numbers, a deletion takes them away; the search goes on with
    the table as it was."""
    other = LanceStore(tmp_path, "test", DIM)
    for n in range(12):
        put(store, chunk(f"d{n}", 1, f"heparine {n}"), at=[vectors(1, n)[0]])
    store.delete_documents(["d0", "d3"])
    expected, step, times = found(store, "heparine", limit=20), getattr(lance_query, when), []

    def meanwhile(*given: object) -> object:
        times.append(1)
        if len(times) == 1:
            other.delete_documents(["d1", "d2"])
            table_of(other).optimize()
            found(other, "heparine")  # which looks at the newer version
            found(store, "heparine")  # so does another thread of this process
        return step(*given)

    monkeypatch.setattr(lance_query, when, meanwhile)
    assert found(store, "heparine", limit=20) == expected
    assert set(found(store, "heparine", limit=20)) == set(expected) - {"d1", "d2"}
    other.close()


def test_only_rows_that_may_be_hits_are_read_and_the_hits_are_those_of_reading_all(
    store: LanceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    words = [f"woord{n}" for n in range(60)]
    drawn = [chunk(f"d{n // 10}", n, " ".join(rng.choice(words, rng.integers(20, 60)))) for n in range(1000)]
    near = vectors(1000, 6)
    for document in range(100):
        store.replace_document(f"d{document}", drawn[10 * document :][:10], near[10 * document :][:10])
    asked = [
        (" ".join(rng.choice(words, 4)), vectors(1, 7 + n)[0], alpha)
        for n, alpha in enumerate((0.0, 0.3, 0.65, 0.9, 1.0) * 6)
    ]
    read, counts = lance_query.read_rows, []

    def counted(table: Any, rows: list[int], query: Any) -> Any:
        counts.append(len(rows))
        return read(table, rows, query)

    monkeypatch.setattr(lance_query, "read_rows", counted)
    medians = {}
    for fusion in ("information", "relative"):
        counts.clear()
        few = [store.search(text, vector, 7, EVERYONE, alpha, fusion) for text, vector, alpha in asked]
        medians[fusion] = np.median(counts)
        with monkeypatch.context() as patched:
            patched.setattr(lance_query, "promising_rows", lambda query, listed: listed.rows)
            all_read = [store.search(text, vector, 7, EVERYONE, alpha, fusion) for text, vector, alpha in asked]
        for some, every in zip(few, all_read, strict=True):
            assert [hit.chunk for hit in some] == [hit.chunk for hit in every]
            assert [hit.score for hit in some] == pytest.approx([hit.score for hit in every], abs=1e-6)
            assert [hit.dense_score for hit in some] == pytest.approx([hit.dense_score for hit in every], abs=1e-6)
    assert medians["information"] < 30 < 100 < medians["relative"]


def test_a_chunk_that_only_words_found_is_placed_by_its_own_cosine(store: LanceStore) -> None:
    """It is not among the hundred nearest, but near."""
    angles = np.linspace(0.5, 0.6, 150)
    near = [chunk("near", n, "iets anders") for n in range(150)]
    store.replace_document("near", near, np.stack([unit(np.cos(a), np.sin(a)) for a in angles]))
    put(store, chunk("named", 1, "zeldzaam"), at=[unit(np.cos(0.61), np.sin(0.61))])
    first, *others = store.search("zeldzaam", unit(1), 7, EVERYONE, 0.65)
    assert first.chunk.document_id == "named"
    assert first.dense_score == pytest.approx(np.cos(0.61), abs=1e-4)
    assert first.bm25_score > 0
    assert [hit.dense_score for hit in others] == pytest.approx(np.cos(angles[:6]), abs=1e-4)


@pytest.mark.parametrize("most", [lance_snapshots.MOST, 0])
def test_a_process_that_goes_on_searching_reads_the_indexes_ahead_where_they_fit(
    store: LanceStore, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(lance_snapshots, "WARM_AFTER", 3)
    monkeypatch.setattr(lance_snapshots, "MOST", most)
    put(store, *[chunk(f"d{n}", 1, f"heparine {n}") for n in range(8)])
    store.tidy()
    warm: list[str] = []
    for n in range(6):
        assert found(store, "heparine", limit=1, alpha=0.0)
        warm.append(store.snapshots.read_ahead())
        assert bool(warm[-1]) == (n >= 2 and most > 0)
    put(store, chunk("new", 1, "insuline"))
    assert found(store, "insuline", limit=1, alpha=0.0) == ["new"]
    store.tidy()
    assert found(store, "insuline", limit=1, alpha=0.0) == ["new"]
    warm.append(store.snapshots.read_ahead())
    assert (warm[-1] != warm[-2]) == (most > 0)  # the newer index, and no longer the older
    assert found(store, "insuline", limit=1, alpha=0.0) == ["new"]


def flat_table(folder: Path, chunks: list[Chunk], drawn: NDArray[np.float32], without: Sequence[str] = ()) -> None:
    """As versions before had it: a column for each property."""
    types = {name: lance_schema.TYPES[kind] for name, kind in COLUMNS.items() if name not in without}
    fields = [
        pa.field("id", pa.string()),
        *map(pa.field, types, types.values()),
        pa.field("vector", pa.list_(pa.float32(), DIM)),
    ]
    rows = [{"id": c.id, **to_row(c), "vector": vector} for c, vector in zip(chunks, drawn, strict=True)]
    table = pa.Table.from_pylist(
        [{name: row[name] for name in ("id", *types, "vector")} for row in rows],
        schema=pa.schema(fields, metadata={"embedder": "test", "dim": str(DIM)}),
    )
    made = lancedb.connect(folder).create_table("chunks", data=table)
    made.create_index("terms", config=lance_index.TERMS)


OLD = [
    chunk(
        f"d{n}",
        1,
        f"heparine {n} bij kinderen",
        department="Spoed",
        valid_until=date(2030, 1, n),
        target_groups=(TargetGroup.CHILD,),
    )
    for n in range(1, 9)
]


def test_an_older_versions_table_is_brought_up_to_date_and_answers_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = vectors(len(OLD), 4)
    flat_table(tmp_path, OLD, drawn)
    store = LanceStore(tmp_path, "test", DIM)
    assert set(table_of(store).schema.names) == set(lance_schema.schema("test", DIM).names)
    hits = store.search("heparine", drawn[3], 3, EVERYONE, 0.65)
    assert hits[0].chunk == OLD[3]
    assert hits[0].dense_score == pytest.approx(1.0, abs=1e-5)
    kept, at = store.chunks_of("d5")
    assert (kept, np.allclose(at, drawn[4:5])) == ([OLD[4]], True)
    store.close()
    monkeypatch.setattr(lance_schema, "renew", lambda *_: pytest.fail("it was done already"))
    LanceStore(tmp_path, "test", DIM).close()


@pytest.mark.parametrize(
    ("missing", "instead"), [("language", ""), ("target_groups", ()), ("valid_until", None), ("department", "")]
)
def test_a_column_that_is_missing_is_filled_as_for_a_document_that_does_not_say(
    tmp_path: Path, missing: str, instead: object
) -> None:
    flat_table(tmp_path, OLD, vectors(len(OLD), 4), without=[missing])
    store = LanceStore(tmp_path, "test", DIM)
    assert store.chunks_of("d2")[0] == [replace(OLD[1], metadata=replace(OLD[1].metadata, **{missing: instead}))]  # type: ignore[arg-type]
    assert len(
        found(store, "heparine", Filters(target_groups=(TargetGroup.CHILD,), valid_on=date(2026, 1, 1)), limit=20)
    ) == len(OLD)
    store.close()


def test_bringing_a_table_up_to_date_goes_on_after_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_schema, "BATCH", 3)
    flat_table(tmp_path, OLD, vectors(len(OLD), 4))
    made, done = lance_schema.table_row, []

    def interrupted(one: Chunk) -> dict[str, Any]:
        done.append(one)
        if len(done) == 5:
            raise KeyboardInterrupt
        return made(one)

    with monkeypatch.context() as patched:
        patched.setattr(lance_schema, "table_row", interrupted)
        with pytest.raises(KeyboardInterrupt):
            LanceStore(tmp_path, "test", DIM)
    store = LanceStore(tmp_path, "test", DIM)
    assert [c for n in range(1, 9) for c in store.chunks_of(f"d{n}")[0]] == OLD
    store.close()


def test_a_column_of_another_type_is_refused_by_name_with_the_way_out(tmp_path: Path) -> None:
    table = pa.table({"id": ["a"], "valid_from": ["2020-01-01"]}).replace_schema_metadata(
        {"embedder": "test", "dim": str(DIM)}
    )
    lancedb.connect(tmp_path).create_table("chunks", data=table)
    with pytest.raises(
        StoreUnavailable, match=r"'valid_from'.*is string.*needs int32: remove .* and run `bedside ingest` again"
    ):
        LanceStore(tmp_path, "test", DIM)


def test_the_vector_index_grows_with_the_chunks_and_finds_what_a_scan_finds(
    store: LanceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_index, "SCALARS_FROM", 400)
    monkeypatch.setattr(lance_index, "VECTORS_FROM", 400)
    monkeypatch.setattr(lance_index, "PARTITION", 100)
    texts, drawn = [f"tekst {n} heparine" for n in range(2000)], vectors(2000, 3)
    for document in range(2):
        store.replace_document(
            f"d{document}", [chunk(f"d{document}", n, texts[n]) for n in range(200)], drawn[200 * document :][:200]
        )
    lance_index.bring_up_to_date(table_of(store))
    assert indexes(store)["vector"] == "vector_4"
    store.replace_document("d2", [chunk("d2", n, texts[n]) for n in range(1600)], drawn[400:])
    lance_index.bring_up_to_date(table_of(store))
    assert indexes(store)["vector"] == "vector_20"
    lance_index.bring_up_to_date(table_of(store))
    assert [name for name in indexes(store).values() if name.startswith("vector")] == ["vector_20"]
    for seed in range(5):
        vector = vectors(1, 100 + seed)[0]
        hits = store.search("x", vector, 10, EVERYONE, 1.0)
        assert [h.dense_score for h in hits] == pytest.approx(sorted(drawn @ vector, reverse=True)[:10], abs=1e-4)


def test_an_index_of_another_kind_is_made_anew_and_filters_as_before(
    store: LanceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_index, "SCALARS_FROM", 4)
    put(store, *[chunk(f"d{n}", 1, "heparine", valid_until=date(2020 + n, 1, 1)) for n in range(8)])
    table_of(store).create_index("valid_until", config=BTree())
    for _ in range(2):
        lance_index.bring_up_to_date(table_of(store))
        kinds = {
            index.name: index.index_type for index in table_of(store).list_indices() if index.columns == ["valid_until"]
        }
        assert list(kinds.values()) == ["Bitmap"]
        for year in (2019, 2024, 2028):
            valid = found(store, "heparine", Filters(valid_on=date(year, 1, 1)), limit=20)
            assert set(valid) == {f"d{n}" for n in range(8) if 2020 + n >= year}
        put(store, chunk("d8", 1, "heparine", valid_until=date(2018, 1, 1)))


def test_documents_added_together_are_all_there_and_one_that_was_there_is_replaced(store: LanceStore) -> None:
    put(store, chunk("a", 1, "oud"), chunk("a", 2, "ook oud"))
    before, at = table_of(store).version, vectors(3, 2)
    new = [
        ("b", [chunk("b", 1, "insuline"), chunk("b", 2, "heparine")], at[:2]),
        ("c", [chunk("c", 1, "sonde")], at[2:]),
    ]
    store.replace_documents(new)
    assert table_of(store).version == before + 1
    store.replace_documents([("a", [chunk("a", 1, "nieuw")], vectors(1, 5)), ("b", *new[0][1:]), ("empty", [], at[:0])])
    assert store.document_ids() == {"a", "b", "c"}
    assert store.count() == 4
    assert [c.text for c in store.chunks_of("a")[0]] == ["nieuw"]
    assert found(store, "sonde", limit=1) == ["c"]


def test_a_document_that_two_processes_add_at_once_is_not_doubled(
    store: LanceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second begins while the first has looked and not yet written: it waits until that is
    done."""
    other, count, begun = LanceStore(tmp_path, "test", DIM), LanceTable.count_rows, threading.Event()
    waited = []

    def add() -> None:
        begun.set()
        put(other, chunk("a", 1, "heparine"))

    second = threading.Thread(target=add)

    def counted(table: LanceTable, where: str | None = None) -> int:
        found = int(count(table, where))
        if not begun.is_set():
            second.start()
            begun.wait()
            second.join(0.3)
            waited.append(second.is_alive())
        return found

    monkeypatch.setattr(LanceTable, "count_rows", counted)
    store.replace_document("a", [chunk("a", 1, "heparine")], np.stack([unit(1)]))
    monkeypatch.undo()
    second.join()
    assert waited == [True]
    assert store.count() == other.count() == 1
    other.close()


def test_a_great_index_does_not_look_up_what_every_chunk_holds(
    store: LanceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, *[chunk(f"d{n}", 1, f"zuurstof woord{n}x") for n in range(20)], chunk("rare", 1, "zuurstof heparine"))
    other = LanceStore(tmp_path, "test", DIM)
    before = other.search("zuurstof heparine", unit(1), 30, EVERYONE, 0.5)
    assert len([h for h in before if h.bm25_score]) == 21
    monkeypatch.setattr(bm25, "GREAT", 20)
    after = other.search("zuurstof heparine", unit(1), 30, EVERYONE, 0.5)
    assert [h.chunk.document_id for h in after if h.bm25_score] == ["rare"]
    assert max(h.bm25_score for h in after) == pytest.approx(max(h.bm25_score for h in before), rel=0.1)
    # nothing else was asked
    assert len([h for h in other.search("zuurstof", unit(1), 30, EVERYONE, 0.5) if h.bm25_score]) == 21
    store.delete_documents([f"d{n}" for n in range(20)])
    assert [h.bm25_score > 0 for h in other.search("zuurstof", unit(1), 30, EVERYONE, 0.5)] == [True]
    other.close()


def test_a_greater_index_is_tidied_by_a_process_of_its_own(store: LanceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Lance takes for that grows with the index, and would stay with this process."""
    monkeypatch.setattr(lance, "APART_FROM", 4)
    monkeypatch.setattr(lance_tidying, "bring_up_to_date", lambda _: pytest.fail("it was done here"))
    put(store, *[chunk(f"d{n}", 1, f"heparine {n}") for n in range(8)])
    assert table_of(store).stats()["fragment_stats"]["num_fragments"] == 8
    store.tidy()
    assert table_of(store).stats()["fragment_stats"]["num_fragments"] == 1
    assert table_of(store).index_stats(indexes(store)["terms"]).num_unindexed_rows == 0
    assert found(store, "heparine 3", limit=1, alpha=0.0) == ["d3"]


def test_a_process_that_could_not_tidy_says_why(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=r"(?s)could not be brought up to date: .*chunks"):
        lance_tidying.tidied_apart(tmp_path)


def test_what_a_writer_keeps_in_memory_does_not_grow_with_its_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every commit makes a version that lists all files of the index."""
    monkeypatch.setattr(lance, "KEPT", 1 << 16)
    store = LanceStore(tmp_path, "test", DIM)
    sizes = []
    for n in range(60):
        put(store, chunk(f"d{n}", 1, f"heparine {n}"))
        sizes.append(store.kept_bytes)
    assert sizes[-1] <= 2 * (1 << 16)
    store.close()
