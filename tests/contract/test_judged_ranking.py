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
from rag_api.evaluate.judged import HANDBOOK, read_judged
from rag_api.ingest.common.chunk import chunk
from rag_api.stores import Store, open_store
from rag_api.stores.copying import ComparisonQuery, copy_index, ranked_alike, same_ranking, verify_copy
from rag_api.stores.memory import MemoryStore
from rag_api.text.bm25_analyzer import words
from tests.contract.conftest import weaviate_server, weaviate_settings  # noqa: F401
from tests.weaviate_server import Server

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
    """LanceDB rounds the lengths of chunks: scores differ by that, and chunks whose scores are
    nearer than that may swap."""
    assert other.count() == reference.count() > 100
    same_first = 0
    for question in asked():
        expected, found = (
            store.search(question.text, question.vector, 10, question.filters, 0.65) for store in (reference, other)
        )
        assert same_ranking(expected, found), question.text
        same_first += found[0].chunk.id == expected[0].chunk.id
    assert same_first >= 0.97 * len(asked())


def test_an_index_that_is_copied_there_and_back_holds_and_ranks_the_same(
    reference: Store,
    documents: dict[str, list[Chunk]],
    weaviate_server: Server,  # noqa: F811
    tmp_path: Path,
) -> None:
    at = [
        Settings(store="lance", data_dir=tmp_path / "first"),
        weaviate_settings(weaviate_server, f"Test{uuid.uuid4().hex}", tmp_path / "there"),
        Settings(store="lance", data_dir=tmp_path / "back"),
    ]
    first, there, back = (open_store(settings, "words", DIM) for settings in at)
    filled(first, documents)
    for source, target in ((first, there), (there, back)):
        copied = copy_index(source, target, lambda _: None)
        assert (copied.documents, copied.before) == (len(first.document_ids()), 0)
        assert verify_copy(source, target, lambda _: None) == copied.chunks == reference.count()
        assert all(ranked_alike(source, target, asked()))
    assert copy_index(first, there, lambda _: None).before == copied.documents  # begun again, nothing is left to do
    there.drop()  # type: ignore[attr-defined]
    for store in (first, there, back):
        store.close()


def asked() -> list[ComparisonQuery]:
    """A quarter of the handbook's judged questions."""
    return [
        ComparisonQuery(one.question, embedded(one.question), Filters())
        for one in read_judged(HANDBOOK, "all")[::4][:QUESTIONS]
    ]
