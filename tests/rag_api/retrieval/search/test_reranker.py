"""A cross-encoder orders hits anew: a real one with random weights made here, a service by its wire
format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.domain import LOCAL_USER, Chunk, Filters, Hit, Metadata
from rag_api.errors import ConfigurationError, StoreUnavailable
from rag_api.query.analysis import analyse
from rag_api.query.synonyms import Expander
from rag_api.retrieval.search.reranker import CrossEncoderReranker, HttpReranker, reranked
from rag_api.retrieval.search.retriever import retrieve
from rag_api.stores.memory import MemoryStore


def hit(name: str, text: str, score: float) -> Hit:
    return Hit(Chunk(name, name, name, (1,), 0, len(text), text, Metadata(title=name)), score, score, 0.0, 1)


HITS = [hit("a", "heparine", 0.9), hit("b", "insuline", 0.8), hit("c", "kalium", 0.7)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers that reads pairs."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("cross-encoder")
    letters = [*"abcdefghijklmnopqrstuvwxyz?.", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz")]
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters]))
    transformers.BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    shape = transformers.BertConfig(
        vocab_size=5 + len(letters),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=1,
    )
    transformers.BertForSequenceClassification(shape).save_pretrained(folder)
    return folder


class TestCrossEncoder:
    def test_hits_are_ordered_by_the_models_scores(self, model: Path) -> None:
        reranker = CrossEncoderReranker(str(model))
        passages = [f"{h.chunk.title}\n{h.chunk.text}" for h in HITS]
        scores = reranker.scores("heparine?", passages)
        assert len(set(scores)) == 3
        assert scores == pytest.approx([reranker.scores("heparine?", [one])[0] for one in passages], abs=1e-5)
        found = reranked("heparine?", HITS, reranker)
        assert [h.chunk.id for h in found] == [HITS[i].chunk.id for i in np.argsort(scores)[::-1]]
        assert [h.rank for h in found] == [1, 2, 3]
        assert {h.chunk.id: h.score for h in found} == {h.chunk.id: h.score for h in HITS}
        assert reranked("heparine?", [], reranker) == []

    def test_a_model_that_is_not_there_is_said(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(ConfigurationError, match="could not be loaded"):
            CrossEncoderReranker(str(tmp_path / "nothing"))


def service(answer: Any, status: int = 200) -> tuple[HttpReranker, list[dict[str, Any]]]:
    asked: list[dict[str, Any]] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(json.loads(request.content))
        return httpx.Response(status, json=answer)

    return HttpReranker("http://reranker", "bge", transport=httpx.MockTransport(respond)), asked


class TestService:
    @pytest.mark.parametrize(
        "answer",
        [
            {
                "results": [
                    {"index": 2, "relevance_score": 0.9},
                    {"index": 0, "relevance_score": 0.5},
                    {"index": 1, "relevance_score": 0.1},
                ]
            },
            [{"index": 2, "score": 0.9}, {"index": 0, "score": 0.5}, {"index": 1, "score": 0.1}],
        ],
        ids=["cohere", "tei"],
    )
    def test_both_wire_formats_are_read(self, answer: Any) -> None:
        reranker, asked = service(answer)
        assert [h.chunk.id for h in reranked("q", HITS, reranker)] == ["c", "a", "b"]
        assert asked[0]["query"] == "q"
        assert asked[0]["documents"] == asked[0]["texts"] == ["a\nheparine", "b\ninsuline", "c\nkalium"]
        reranker.close()

    @pytest.mark.parametrize(
        ("answer", "status"), [({"error": "x"}, 500), ({"results": []}, 200), ("nonsense", 200), ([{"index": 0}], 200)]
    )
    def test_a_service_that_fails_leaves_the_hits_as_they_are(
        self, answer: Any, status: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        reranker, _ = service(answer, status)
        with pytest.raises(StoreUnavailable, match="http://reranker"):
            reranker.scores("q", ["x"] * 3)
        assert reranked("q", HITS, reranker) == HITS
        assert "hits stay as fused" in caplog.text
        reranker.close()


class Blind:
    name, dim = "blind", 2

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(np.array([1.0, 0.0], np.float32), (len(texts), 1))

    def query(self, text: str) -> NDArray[np.float32]:
        return np.array([1.0, 0.0], np.float32)


def test_retrieval_shows_the_best_of_what_the_reranker_read(tmp_path: Path) -> None:
    store, embedder = MemoryStore(2), Blind()
    for n in range(30):
        one = hit(f"d{n:02}", f"tekst {n}", 0.0).chunk
        store.replace_document(one.document_id, [one], embedder.passages([one.text]))
    reranker, asked = service([{"index": n, "score": float(n)} for n in range(20)])
    settings = Settings(data_dir=tmp_path, store="memory", sources=3)
    question = analyse("vraag", Expander(()))
    found = retrieve(
        question, LOCAL_USER, Filters(), embedder=embedder, store=store, settings=settings, reranker=reranker
    )
    assert [h.chunk.id for h in found.hits] == ["d19", "d18", "d17"]
    assert len(asked[0]["documents"]) == 20
    reranker.close()


def test_the_container_opens_the_configured_reranker_once_and_closes_it(tmp_path: Path, model: Path) -> None:
    with Container(Settings(data_dir=tmp_path, store="memory", reranker=str(model))) as container:
        reranker = container.reranker
        assert isinstance(reranker, CrossEncoderReranker)
        assert container.reranker is reranker
        other = container.with_settings(
            container.settings.model_copy(update={"reranker": None, "reranker_url": "http://reranker"})
        )
        assert isinstance(other.reranker, HttpReranker)
    with pytest.raises(RuntimeError, match="closed"):
        other.reranker.scores("hoeveel?", ["een"])


def test_without_one_there_is_none(tmp_path: Path) -> None:
    with Container(Settings(data_dir=tmp_path, store="memory")) as container:
        assert container.reranker is None
