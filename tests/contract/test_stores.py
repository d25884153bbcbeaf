"""The contract of every store, on every store: in memory, LanceDB, and Weaviate on a real
server."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.domain import Chunk, Filters, Metadata, TargetGroup
from rag_api.errors import EmbedderMismatch
from rag_api.stores import Store, describe
from rag_api.stores.filters import admits
from rag_api.stores.ranking.fuse import Fusion, ScoreLists, fuse
from rag_api.text.bm25_analyzer import question_terms
from tests.contract.conftest import DIM, Reopen

EVERYONE = Filters()


def chunk(
    document: str,
    number: int,
    text: str,
    title: str = "Procedure",
    groups: tuple[str, ...] = ("everyone",),
    **metadata: Any,
) -> Chunk:
    return Chunk(
        id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{document}:{number}")),
        document_id=document,
        title=title,
        pages=(number, number + 1),
        start=100 * number,
        end=100 * number + len(text),
        text=text,
        metadata=Metadata(title=title, **metadata),
        groups=groups,
    )


def unit(*values: float) -> NDArray[np.float32]:
    vector = np.zeros(DIM, np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


def vectors(count: int, seed: int = 0) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(count, DIM)).astype(np.float32)
    unit: NDArray[np.float32] = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


def put(store: Store, *chunks: Chunk, at: Sequence[NDArray[np.float32]] | None = None) -> None:
    """Each document's chunks, with the vectors given or random ones."""
    rows = vectors(len(chunks)) if at is None else np.stack(list(at))
    for document in dict.fromkeys(c.document_id for c in chunks):
        own = [i for i, c in enumerate(chunks) if c.document_id == document]
        store.replace_document(document, [chunks[i] for i in own], rows[own])


def found(store: Store, text: str, filters: Filters = EVERYONE, limit: int = 10, alpha: float = 0.5) -> list[str]:
    """Document ids, best first."""
    return [hit.chunk.document_id for hit in store.search(text, unit(1), limit, filters, alpha)]


class TestChunks:
    def test_a_new_store_is_empty_and_answers(self, store: Store) -> None:
        assert store.count() == 0
        assert store.document_ids() == set()
        assert store.search("paracetamol", unit(1), 7, EVERYONE, 0.7) == []

    def test_a_hit_carries_the_chunk_as_it_was_put_in(self, store: Store) -> None:
        full = chunk(
            "a",
            3,
            "Geef 15 mg/kg i.v. — “zo nodig” …\n",
            title="Paracetamol bij kinderen 💊",
            groups=("everyone", "icu"),
            department="Pediatrie",
            document_type="procedure",
            target_groups=(TargetGroup.CHILD, TargetGroup.NEONATE),
            version="4.2",
            valid_from=date(2024, 2, 29),
            valid_until=date(2027, 12, 31),
            owner="Apotheek",
            language="nl",
            supersedes="paracetamol-oud.pdf",
        )
        put(store, full)
        (hit,) = store.search("paracetamol", unit(1), 1, EVERYONE, 0.7)
        assert hit.chunk == full
        assert hit.rank == 1

    def test_replacing_leaves_only_the_new_chunks(self, store: Store) -> None:
        put(store, chunk("a", 1, "oude tekst"), chunk("a", 2, "oude rest"), chunk("b", 1, "blijft staan"))
        put(store, chunk("a", 1, "nieuwe tekst"), at=[unit(1)])
        assert store.count() == 2
        assert store.document_ids() == {"a", "b"}
        texts = {hit.chunk.text for hit in store.search("oude nieuwe tekst rest", unit(1), 10, EVERYONE, 0.5)}
        assert texts == {"nieuwe tekst", "blijft staan"}

    def test_replacing_twice_with_the_same_changes_nothing(self, store: Store) -> None:
        chunks = [chunk("a", n, f"stap {n} van de procedure") for n in range(5)]
        put(store, *chunks)
        once = store.search("stap procedure", unit(1), 10, EVERYONE, 0.5)
        put(store, *chunks)
        again = store.search("stap procedure", unit(1), 10, EVERYONE, 0.5)
        assert store.count() == 5
        assert [(h.chunk, round(h.score, 3)) for h in again] == [(h.chunk, round(h.score, 3)) for h in once]

    def test_replacing_with_nothing_removes_the_document(self, store: Store) -> None:
        put(store, chunk("a", 1, "weg"), chunk("b", 1, "hier"))
        store.replace_document("a", [], np.empty((0, DIM), np.float32))
        assert store.document_ids() == {"b"}

    def test_many_documents_at_once_are_added_and_replaced(self, store: Store) -> None:
        put(store, chunk("a", 1, "oud"), chunk("c", 1, "blijft"))
        rows = vectors(3)
        store.replace_documents(
            [
                ("a", [chunk("a", 2, "nieuw")], rows[:1]),
                ("b", [chunk("b", 1, "een"), chunk("b", 2, "twee")], rows[1:]),
                ("d", [], rows[:0]),
            ]
        )
        assert store.document_ids() == {"a", "b", "c"}
        assert [one.text for one in store.chunks_of("a")[0]] == ["nieuw"]
        np.testing.assert_allclose(store.chunks_of("b")[1], rows[1:], atol=1e-6)

    def test_deleting_removes_the_named_documents_only(self, store: Store) -> None:
        put(store, chunk("a", 1, "een"), chunk("a", 2, "twee"), chunk("b", 1, "drie"), chunk("c", 1, "vier"))
        store.delete_documents(["a", "c", "never-there", "it's"])
        store.delete_documents([])
        assert store.document_ids() == {"b"}
        assert store.count() == 1
        assert "a" not in found(store, "een twee")

    def test_what_was_just_put_in_is_found_at_once_and_ranked_right(self, store: Store) -> None:
        """Weaviate before 1.39 ranked wrongly for up to a minute."""
        words = ["infuus", "katheter", "sonde", "drain", "wonde", "koorts", "bloeddruk", "pijn", "slaap", "voeding"]
        rng = np.random.default_rng(1)
        for n in range(60):
            put(store, chunk(f"d{n}", 1, " ".join(rng.choice(words, 30)) + f" zeldzaam{n}x"), at=[vectors(1, n)[0]])
            assert found(store, f"zeldzaam{n}x", limit=1, alpha=0.0) == [f"d{n}"]

    def test_another_process_sees_what_was_put_in(
        self, store: Store, open_another: Reopen, store_settings: Settings
    ) -> None:
        if store_settings.store == "memory":
            pytest.skip("memory is one process's own")
        other = open_another()
        assert other.count() == 0
        put(store, chunk("a", 1, "insuline"))
        assert found(other, "insuline") == ["a"]
        other.delete_documents(["a"])
        assert found(store, "insuline") == []


class TestRanking:
    @pytest.mark.parametrize("fusion", ["information", "relative"])
    def test_scores_are_fused_from_raw_scores(self, store: Store, fusion: Fusion) -> None:
        chunks = [
            chunk(f"d{n}", 1, "vocht " * (n % 5) + "katheter spoelen en nazien " * (n % 3) + f"woord{n}")
            for n in range(30)
        ]
        put(store, *chunks)
        hits = store.search("katheter vocht", unit(1, 1), 30, EVERYONE, 0.7, fusion)
        dense = {h.chunk.id: h.dense_score for h in hits}
        bm25 = {h.chunk.id: h.bm25_score for h in hits if h.bm25_score}
        assert len(hits) == 30
        fused = dict(fuse(ScoreLists(dense, bm25, dense, len(question_terms("katheter vocht"))), 0.7, fusion))
        for hit in hits:
            assert hit.score == pytest.approx(fused[hit.chunk.id], abs=1e-4)
        assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
        assert [h.rank for h in hits] == list(range(1, 31))

    def test_dense_score_is_the_cosine(self, store: Store) -> None:
        put(store, chunk("a", 1, "x"), chunk("b", 1, "paracetamol"), at=[unit(1, 1), unit(1, -2)])
        scores = {h.chunk.document_id: h.dense_score for h in store.search("paracetamol", unit(1), 5, EVERYONE, 0.3)}
        assert scores == {"a": pytest.approx(0.7071, abs=1e-3), "b": pytest.approx(0.4472, abs=1e-3)}

    def test_alpha_one_ranks_by_vector_and_alpha_zero_by_words(self, store: Store) -> None:
        put(store, chunk("near", 1, "iets anders"), chunk("words", 1, "heparine heparine"), at=[unit(1), unit(0, 1)])
        assert found(store, "heparine", alpha=1.0)[0] == "near"
        assert found(store, "heparine", alpha=0.0)[0] == "words"

    def test_rarer_words_and_shorter_chunks_weigh_more(self, store: Store) -> None:
        common = [chunk(f"c{n}", 1, "patiënt krijgt medicatie volgens schema") for n in range(8)]
        put(
            store,
            *common,
            chunk("rare", 1, "patiënt krijgt heparine"),
            chunk("long", 1, "heparine " + "en nog veel meer tekst over andere zaken " * 20),
        )
        assert found(store, "patiënt heparine", alpha=0.0)[:2] == ["rare", "long"]

    def test_words_match_by_their_stem_in_their_own_language(self, store: Store) -> None:
        put(
            store,
            chunk("nl", 1, "De katheters worden gespoeld", language="nl"),
            chunk("en", 1, "Dressings are changed daily", language="en"),
        )
        assert found(store, "katheter", alpha=0.0)[:1] == ["nl"]
        assert found(store, "which dressing?", alpha=0.0)[:1] == ["en"]

    def test_words_that_stand_together_in_the_question_weigh_more_where_they_do_so_in_the_text(
        self, store: Store
    ) -> None:
        texts = {
            "apart": "kalium per infuus soms chloride in druppels",
            "beside": "chloride kalium per infuus in druppels",
        }
        put(
            store,
            *(chunk(name, 1, text) for name, text in texts.items()),
            *(chunk(f"d{n}", 1, f"woord{n}") for n in range(8)),
        )

        def gain(question: str) -> float:
            scores = {h.chunk.document_id: h.bm25_score for h in store.search(question, unit(1), 5, EVERYONE, 0.0)}
            return scores["beside"] / scores["apart"]

        as_they_are = gain("chloride, druppels")  # beside each other in neither
        assert as_they_are == pytest.approx(1, abs=0.05)
        assert gain("chloride kalium") > 1.05 * as_they_are
        assert gain("infuus en de druppels") > 1.05 * as_they_are  # function words between two words do not part them

    def test_the_title_is_searched_too(self, store: Store) -> None:
        put(store, chunk("a", 1, "Geef 10 mg.", title="Vancomycine"), chunk("b", 1, "Geef 10 mg.", title="Gentamicine"))
        assert found(store, "vancomycine", alpha=0.0)[:1] == ["a"]

    def test_other_words_for_a_question_count_for_no_more_than_its_own(self, store: Store) -> None:
        put(store, chunk("a", 1, "spoed intensive care"), *[chunk(f"d{n}", 1, f"tekst {n}") for n in range(20)])
        hits = store.search("SIC", unit(1), 30, EVERYONE, 0.0, others=["spoed intensive care"])
        assert (hits[0].chunk.document_id, hits[0].score <= 1.0, hits[1].score) == ("a", True, 0.0)
        assert hits[0].bm25_score > 0
        assert store.search("SIC", unit(1), 1, EVERYONE, 0.0)[0].score == 0.0

    def test_all_stores_rank_like_the_one_in_memory(self, store: Store) -> None:
        from rag_api.stores.memory import MemoryStore

        rng = np.random.default_rng(3)
        words = [f"woord{n}" for n in range(60)]
        chunks = [chunk(f"d{n // 4}", n % 4, " ".join(rng.choice(words, rng.integers(20, 60)))) for n in range(200)]
        reference = MemoryStore(DIM)
        put(reference, *chunks)
        put(store, *chunks)
        for seed in range(10):
            question, vector = " ".join(rng.choice(words, 4)), vectors(1, seed)[0]
            expected = reference.search(question, vector, 10, EVERYONE, 0.5, "relative")
            hits = store.search(question, vector, 10, EVERYONE, 0.5, "relative")
            # LanceDB rounds lengths: near ties may swap, scores may not differ by more than that.
            assert [h.score for h in hits] == pytest.approx([h.score for h in expected], abs=0.03)
            shared = {h.chunk.id for h in hits} & {h.chunk.id for h in expected}
            assert len(shared) >= 9
            assert hits[0].score - expected[0].score == pytest.approx(0, abs=0.03)
            raw = {h.chunk.id: h.bm25_score for h in expected}
            assert all(h.bm25_score == pytest.approx(raw[h.chunk.id], rel=0.03) for h in hits if raw.get(h.chunk.id))


FILTERS = [
    Filters(departments=("Pediatrie",)),
    Filters(departments=("Pediatrie", "Spoed")),
    Filters(document_types=("procedure",)),
    Filters(languages=("en",)),
    Filters(target_groups=(TargetGroup.CHILD,)),
    Filters(target_groups=(TargetGroup.CHILD, TargetGroup.PREGNANCY)),
    Filters(document_ids=("d1", "d4", "d9")),
    Filters(excluded_document_ids=("d1", "d2", "d3")),
    Filters(valid_on=date(2026, 6, 1)),
    Filters(valid_on=date(2020, 1, 1)),
    Filters(groups=("everyone", "pharmacy")),
    Filters(groups=("pharmacy",)),
    Filters(groups=()),
    Filters(departments=("Spoed",), languages=("nl",), target_groups=(TargetGroup.ADULT,), valid_on=date(2026, 6, 1)),
    Filters(departments=("it's; DROP TABLE",)),
]


class TestFilters:
    @pytest.fixture
    def filled(self, store: Store) -> list[Chunk]:
        groups = [
            (),
            (TargetGroup.CHILD,),
            (TargetGroup.ADULT, TargetGroup.PREGNANCY),
            (TargetGroup.NEONATE, TargetGroup.CHILD),
        ]
        chunks = [
            chunk(
                f"d{n}",
                1,
                f"dosis {n}",
                groups=(("everyone",), ("everyone", "icu"), ("pharmacy", "icu"))[n % 3],
                department=("Pediatrie", "Spoed", "")[n % 3],
                document_type=("procedure", "folder")[n % 2],
                language=("nl", "en", "")[n % 3],
                target_groups=groups[n % 4],
                valid_from=(None, date(2025, 1, 1))[n % 2],
                valid_until=(None, date(2025, 12, 31), date(2030, 1, 1))[n % 3],
            )
            for n in range(24)
        ]
        put(store, *chunks)
        return chunks

    @pytest.mark.parametrize("filters", FILTERS, ids=str)
    def test_exactly_the_admitted_chunks_are_found(self, store: Store, filled: list[Chunk], filters: Filters) -> None:
        expected = {c.id for c in filled if admits(filters, c)}
        assert {h.chunk.id for h in store.search("dosis", unit(1), 50, filters, 0.5)} == expected

    def test_filters_apply_before_ranking(self, store: Store) -> None:
        """300 better chunks of another group do not crowd the one that may be read out of the
        lists."""
        secret = [chunk(f"s{n}", 1, "heparine heparine heparine", groups=("pharmacy",)) for n in range(300)]
        store.replace_document("secret", secret, np.stack([unit(1)] * 300))
        put(store, chunk("mine", 1, "heparine en nog wat andere woorden erbij"), at=[unit(0, 1)])
        assert found(store, "heparine") == ["mine"]


ODD_TEXTS = [
    "",
    " ",
    "***",
    '"',
    "'",
    "''; DELETE",
    'paracetamol"',
    "title:paracetamol",
    "para*",
    "\\",
    "\\\\ \\n \\u0000",
    "a\0b",
    "AND OR NOT",
    "(+paracetamol -kind)",
    "[1 TO 5] {x} ~2 ^3",
    "paracetamol && kind || !",
    "💊👨‍👩‍👧",
    "ﷺ" * 50,
    "\u202eparacetamol",
    "\ud800",
    "漢字 العربية עברית",
    "e\u0301\u0323" * 20,
    "x" * 5000,
    "woord " * 2000,
    "de het een",
    "%s %d {0} $1 ?",
]


class TestOddText:
    @pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda t: ascii(t)[:20])
    def test_no_question_breaks_the_search(self, store: Store, text: str) -> None:
        put(store, chunk("a", 1, "paracetamol bij kind"), chunk("b", 1, "infuus"), at=[unit(1), unit(0, 1)])
        assert found(store, text, alpha=0.7)[0] == "a"

    @pytest.mark.parametrize("text", [t for t in ODD_TEXTS if "\ud800" not in t], ids=lambda t: ascii(t)[:20])
    def test_any_text_can_be_stored_and_comes_back_equal(self, store: Store, text: str) -> None:
        put(store, chunk("a", 1, text, title="titel"), at=[unit(1)])
        (hit,) = store.search("titel", unit(1), 5, EVERYONE, 0.7)
        assert hit.chunk.text == text


class TestEmbedder:
    def test_the_same_embedder_opens_the_index_again(
        self, store: Store, open_another: Reopen, store_settings: Settings
    ) -> None:
        if store_settings.store == "memory":
            pytest.skip("memory keeps nothing")
        put(store, chunk("a", 1, "blijft"))
        assert open_another().document_ids() == {"a"}

    @pytest.mark.parametrize(("name", "dim"), [("other", DIM), ("test", DIM * 2)])
    def test_another_embedder_is_refused_with_the_way_out(
        self, store: Store, open_another: Reopen, store_settings: Settings, name: str, dim: int
    ) -> None:
        if store_settings.store == "memory":
            pytest.skip("memory keeps nothing")
        with pytest.raises(EmbedderMismatch, match=r"'test'.*bedside ingest"):
            open_another(name, dim)


class TestThreads:
    def test_writers_and_readers_do_not_disturb_each_other(self, store: Store) -> None:
        put(store, chunk("fixed", 1, "heparine protocol"), at=[unit(1)])
        errors: list[BaseException] = []

        def write(worker: int) -> None:
            for n in range(6):
                put(store, *[chunk(f"w{worker}-{n % 3}", k, f"tekst {n} {k}") for k in range(4)])

        def read() -> None:
            for _ in range(20):
                assert found(store, "heparine", limit=3)[0] == "fixed"

        def guarded(work: Any, *args: Any) -> None:
            try:
                work(*args)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=guarded, args=(write, w)) for w in range(3)] + [
            threading.Thread(target=guarded, args=(read,)) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert store.count() == 1 + 3 * 3 * 4


def refuse(chunks: Sequence[Chunk]) -> Any:
    raise AssertionError("nothing is to be embedded")


class TestDescribing:
    def test_changed_metadata_reaches_every_chunk_and_the_filters_and_leaves_the_vectors(self, store: Store) -> None:
        put(store, *[chunk("a", n, f"stap {n}", department="Apotheek") for n in range(3)])
        before, vectors_before = store.chunks_of("a")
        about = replace(
            before[0].metadata, title=before[0].title, department="Pediatrie", target_groups=(TargetGroup.CHILD,)
        )
        assert describe(store, "a", about, refuse) == "kept"
        assert np.allclose(store.chunks_of("a")[1], vectors_before)
        assert set(found(store, "stap", Filters(departments=("Pediatrie",)))) == {"a"}

    def test_a_new_title_is_embedded_with_every_chunk(self, store: Store) -> None:
        put(
            store,
            *[chunk("a", n, f"stap {n} van de procedure", department="Apotheek") for n in range(3)],
            chunk("b", 1, "iets anders"),
        )
        before, _ = store.chunks_of("a")
        about = Metadata(
            title="Vancomycine",
            department="Pediatrie",
            target_groups=(TargetGroup.CHILD,),
            valid_until=date(2030, 1, 1),
        )
        new = vectors(3, seed=77)
        embedded: list[str] = []

        def embed(chunks: Sequence[Chunk]) -> Any:
            embedded.extend(one.title for one in chunks)
            return new

        assert describe(store, "a", about, embed) == "made again"
        assert embedded == ["Vancomycine"] * 3
        after, vectors_after = store.chunks_of("a")
        assert [(c.id, c.text, c.start, c.pages) for c in after] == [(c.id, c.text, c.start, c.pages) for c in before]
        assert {(c.title, c.metadata) for c in after} == {("Vancomycine", about)}
        assert np.allclose(vectors_after, new)
        assert store.search("", new[2], 1, EVERYONE, 1.0)[0].chunk.id == after[2].id
        assert store.count() == 4
        assert set(found(store, "stap", Filters(departments=("Pediatrie",)))) == {"a"}
        assert found(store, "stap", Filters(departments=("Apotheek",))) == []
        assert found(store, "vancomycine", limit=1, alpha=0.0) == ["a"]  # the new title's words are searched

    def test_describing_an_unknown_document_changes_nothing(self, store: Store) -> None:
        put(store, chunk("a", 1, "hier"))
        assert describe(store, "never-there", Metadata(title="x"), refuse) == "kept"
        assert store.document_ids() == {"a"}
        assert store.chunks_of("never-there")[0] == []

    def test_expired_documents_are_found_when_asked_for_and_future_ones_are_not(self, store: Store) -> None:
        put(
            store,
            chunk("expired", 1, "stap een", valid_until=date(2020, 1, 1)),
            chunk("future", 1, "stap twee", valid_from=date(2030, 1, 1)),
            chunk("valid", 1, "stap drie"),
        )
        today = date(2026, 1, 1)
        assert set(found(store, "stap", Filters(valid_on=today))) == {"valid"}
        assert set(found(store, "stap", Filters(valid_on=today, include_expired=True))) == {"valid", "expired"}
