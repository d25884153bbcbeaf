"""On the sample handbook and its judged questions every store ranks alike, up to ties."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
import pypdfium2 as pdfium
import pytest
from numpy.typing import NDArray

from rag_api import handbook
from rag_api.config import Settings
from rag_api.domain import Chunk, Filters, Metadata, Page
from rag_api.evaluate import HANDBOOK, read_judged
from rag_api.ingest.chunk import chunk
from rag_api.stores import Store, open_store
from rag_api.stores.memory import MemoryStore
from rag_api.text.bm25_analyzer import words
from tests.contract.conftest import weaviate_server, weaviate_settings  # noqa: F401

DIM = 64
QUESTIONS = 100


def embedded(text: str) -> NDArray[np.float32]:
    """Its words on random axes: near for texts that share words."""
    vector = np.full(DIM, 1e-3)
    for word in words(text):
        vector += np.random.default_rng(crc32(word.encode())).normal(size=DIM)
    unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


@pytest.fixture(scope="module")
def documents() -> dict[str, list[Chunk]]:
    found = {}
    for path in sorted((Path(handbook.__file__).parent / "pdf").glob("*.pdf"))[::2]:
        with pdfium.PdfDocument(path) as document:
            text = "\n".join(page.get_textpage().get_text_range() for page in document)
        page = Page(1, 595.0, 842.0, 0, 0, text, np.empty((0, 4), np.float32))
        found[path.stem] = chunk(path.stem, Metadata(title=path.stem.replace("-", " "), language="nl"), [page])
    return found


def filled(store: Store, documents: dict[str, list[Chunk]]) -> Store:
    for name, chunks in documents.items():
        if chunks:
            store.replace_document(name, chunks, np.stack([embedded(c.text) for c in chunks]))
    return store


@pytest.fixture(scope="module")
def reference(documents: dict[str, list[Chunk]]) -> Store:
    return filled(MemoryStore(DIM), documents)


@pytest.fixture(params=["lance", "weaviate"])
def other(request: pytest.FixtureRequest, documents: dict[str, list[Chunk]], tmp_path: Path) -> Iterator[Store]:
    settings = Settings(store="lance", data_dir=tmp_path)
    if request.param == "weaviate":
        settings = weaviate_settings(request.getfixturevalue("weaviate_server"), f"Test{uuid.uuid4().hex}", tmp_path)
    store = open_store(settings, "words", DIM)
    yield filled(store, documents)
    if request.param == "weaviate":
        store.drop()  # type: ignore[attr-defined]
    store.close()


def test_the_judged_questions_find_the_same_in_every_store(reference: Store, other: Store) -> None:
    """LanceDB rounds the lengths of chunks: scores differ by that, and chunks whose scores are nearer than that may swap."""
    assert other.count() == reference.count() > 100
    same_first = 0
    asked = read_judged(HANDBOOK, "all")[::4][:QUESTIONS]
    for question in asked:
        vector = embedded(question.question)
        expected = reference.search(question.question, vector, 10, Filters(), 0.65)
        found = other.search(question.question, vector, 10, Filters(), 0.65)
        assert [h.score for h in found] == pytest.approx([h.score for h in expected], abs=0.01), question.question
        scores = {h.chunk.id: h.score for h in expected}
        for hit in found:
            assert hit.score == pytest.approx(scores.get(hit.chunk.id, expected[-1].score), abs=0.01), question.question
        same_first += found[0].chunk.id == expected[0].chunk.id
    assert same_first >= 0.97 * len(asked)
